// The instructions that a message of Oclgrind's quotes: who did something, and at which instruction.

#pragma once

#include "oclgrind.h"
#include "source.h"

#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <cstdio>
#include <map>
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

  static std::string printed(const llvm::Instruction *instruction) {
    std::ostringstream out;
    oclgrind::dumpInstruction(out, instruction);
    const std::string code = out.str();
    return code.substr(std::min(code.find_first_not_of(" \t"), code.size()));
  }
};

}  // namespace
