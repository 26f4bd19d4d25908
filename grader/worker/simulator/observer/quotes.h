// The instructions that a message of Oclgrind's quotes: who did something, and at which instruction.

#pragma once

#include "oclgrind.h"
#include "source.h"

#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace {

// An instruction as it is printed, and the line below that says where it is in the source, or that nothing is known.
struct Quote {
  std::string code, place;

  Spot spot() const {
    Spot found;
    std::sscanf(place.c_str(), "At line %u (column %u)", &found.line, &found.column);
    return found;
  }
};

// A line of a source that looks like a place makes one more quote, which no instruction fits.
std::vector<Quote> quotesOf(const std::string &message) {
  std::vector<Quote> quotes;
  std::istringstream in(message);
  std::string line, before;
  while (std::getline(in, line)) {
    line.erase(0, line.find_first_not_of(" \t"));
    if (line.rfind("At line ", 0) == 0 || line.rfind("Debugging information not available", 0) == 0)
      quotes.push_back({before, line});
    before = line;
  }
  return quotes;
}

// A plain read and a write that no barrier is between: of which word, and by which work-items of which groups.
struct Race {
  using Id = std::array<size_t, 3>;
  unsigned space;
  size_t address;
  std::array<Id, 2> items, groups;
};

// Nothing is known of a race of another kind, or with a copy by a group.
std::optional<Race> raceOf(const std::string &message) {
  Race race;
  char space[8];
  if (std::sscanf(message.c_str(), "Read-write data race at %7s memory address %zx", space, &race.address) != 2)
    return {};
  race.space = std::string(space) == "local" ? oclgrind::AddrSpaceLocal : oclgrind::AddrSpaceGlobal;
  const std::array<const char *, 2> beginnings{"\tFirst entity:", "\tSecond entity:"};
  for (size_t i = 0; i < 2; i++) {
    auto &item = race.items[i], &group = race.groups[i];
    const size_t at = message.find(beginnings[i]);
    if (at == std::string::npos ||
        std::sscanf(message.c_str() + at + std::strlen(beginnings[i]),
                    " Global(%zu,%zu,%zu) Local(%*u,%*u,%*u) Group(%zu,%zu,%zu)", &item[0], &item[1], &item[2],
                    &group[0], &group[1], &group[2]) != 6)
      return {};
  }
  return race;
}

// An instruction as Oclgrind prints it.
std::string printed(const llvm::Instruction *instruction) {
  std::ostringstream out;
  oclgrind::dumpInstruction(out, instruction);
  const std::string code = out.str();
  return code.substr(std::min(code.find_first_not_of(" \t"), code.size()));
}

// Where an instruction is in the source, as Oclgrind says it.
std::string placed(Spot spot) {
  if (!spot.line)
    return "Debugging information not available.";
  return "At line " + std::to_string(spot.line) + " (column " + std::to_string(spot.column) + ")";
}

// An instruction as a message quotes it: itself, and its place in the line below.
std::string quoted(const llvm::Instruction *instruction) {
  return printed(instruction) + "\n\t" + placed(spotOf(instruction));
}

// A message whose quote with this number is of another instruction: its code, its place, its line of the source.
std::string requoted(const std::string &message, size_t number, const llvm::Instruction *instruction,
                     const oclgrind::Program *program) {
  const Spot spot = spotOf(instruction);
  const Quote quote = quotesOf(message)[number];
  if (!spot.line || quote.spot().line == 0 || quote.code == printed(instruction))
    return message;
  const char *line = program->getSourceLine(spot.line);
  const size_t entity = message.find(number ? "\tSecond entity:" : "\tFirst entity:");
  const size_t code = message.find(quote.code, entity);
  const size_t place = message.find(quote.place, code), rest = message.find(" of ", place);
  const size_t text = message.find('\n', rest), end = message.find('\n', text + 1);
  if (text == std::string::npos || end == std::string::npos)
    return message;
  return message.substr(0, code) + quoted(instruction) + message.substr(rest, text - rest) + "\n\t  " +
         (line ? line : "") + message.substr(end);
}

// All instructions of a program, by their places: several may be at one.
class Instructions {
public:
  void kernelBegins(const llvm::Module *kernels) {
    module = kernels;
    places.clear();
  }

  const std::vector<const llvm::Instruction *> &at(Spot spot) {
    if (places.empty() && module)
      for (const llvm::Function &function : *module)
        for (const llvm::BasicBlock &block : function)
          for (const llvm::Instruction &instruction : block)
            places[spotOf(&instruction)].push_back(&instruction);
    return places[spot];
  }

  // Those that a quote fits: more than one if they are printed alike.
  std::vector<const llvm::Instruction *> of(const Quote &quote) {
    std::vector<const llvm::Instruction *> found;
    for (const llvm::Instruction *instruction : at(quote.spot()))
      if (instruction->mayReadOrWriteMemory() && printed(instruction) == quote.code)
        found.push_back(instruction);
    return found;
  }

private:
  const llvm::Module *module = nullptr;
  std::map<Spot, std::vector<const llvm::Instruction *>> places;
};

}  // namespace
