// What Oclgrind reports (races, invalid accesses, barriers), once per kind and lines, with the arrays that it is about.

#pragma once

#include "oclgrind.h"
#include "source.h"

#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>

#include <cstdio>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

// The kind of a message and the lines that it names, in any order: what makes two messages the same finding.
std::string essence(const std::string &message) {
  std::istringstream in(message);
  std::string line, key;
  std::getline(in, key);
  key = key.substr(0, key.find_first_of("0123456789("));
  std::set<std::string> places;
  while (std::getline(in, line))
    if (line.find("At line ") != std::string::npos)
      places.insert(line);
  for (auto &place : places)
    key += place;
  return key;
}

class Messages {
public:
  void kernelBegins(const llvm::Module *kernels) {
    module = kernels;
    messages.clear();
    order.clear();
    lines.clear();
  }

  void groupBegins() { endings.clear(); }

  void groupEnds() { lines.clear(); }

  void executed(const oclgrind::WorkItem *item, const llvm::Instruction *instruction) {
    unsigned &line = lines[item];
    if (item->getState() == oclgrind::WorkItem::FINISHED)
      endings[line]++;
    if (const unsigned now = spotOf(instruction).line)
      line = now;
  }

  void log(const char *said) {
    const std::string key = essence(said);
    Message &message = messages[key];
    if (!message.times++) {
      message.said = said;
      message.array = used(said);
      message.endings = endings;
      order.push_back(key);
    }
  }

  void write(llvm::json::OStream &out) const {
    for (auto &key : order)
      out.object([&, &message = messages.at(key)] {
        out.attribute("text", text(message.said));
        out.attribute("array", text(message.array));
        out.attribute("times", message.times);
        out.attributeArray("endings", [&] {
          for (auto &ending : message.endings)
            out.value(llvm::json::Array{ending.first, ending.second});
        });
      });
  }

private:
  struct Message {
    std::string said, array;
    uint64_t times = 0;
    std::map<unsigned, unsigned> endings;          // for barriers: the lines at which work-items had ended
  };

  const llvm::Module *module = nullptr;
  std::map<std::string, Message> messages;
  std::vector<std::string> order;                  // of messages, as they came
  std::unordered_map<const oclgrind::WorkItem *, unsigned> lines;  // that each work-item was at last
  std::map<unsigned, unsigned> endings;            // of this group's work-items, by line

  // The variable that the first place of a message uses, as far as what stands there tells.
  std::string used(const std::string &message) const {
    const size_t at = message.find("At line ");
    Spot spot;
    if (!module || at == std::string::npos ||
        std::sscanf(message.c_str() + at, "At line %u (column %u)", &spot.line, &spot.column) != 2)
      return "";
    for (const llvm::Function &function : *module)
      for (const llvm::BasicBlock &block : function)
        for (const llvm::Instruction &instruction : block) {
          const llvm::Value *pointer = pointerOf(&instruction);
          const Spot here = spotOf(&instruction);
          const bool uses =
              pointer && (llvm::isa<llvm::GEPOperator>(pointer) || llvm::isa<llvm::CallInst>(instruction));
          if (uses && !(here < spot) && !(spot < here))
            return variableOf(pointer);
        }
    return "";
  }
};

}  // namespace
