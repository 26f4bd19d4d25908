// The variables of a work-item in private memory: the most bytes that they take up at a time, those of the functions that are
// being called included. What is built without optimisation has each variable in memory, an array with all its elements.

#pragma once

#include "oclgrind.h"

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <map>

namespace {

class Variables {
public:
  void kernelBegins() { most = 0; }

  // A function with variables begins with the first of them.
  void executed(const oclgrind::WorkItem *item, const llvm::Instruction *instruction) {
    if (!llvm::isa<llvm::AllocaInst>(instruction) || instruction != &instruction->getFunction()->getEntryBlock().front())
      return;
    uint64_t all = bytesOf(instruction->getFunction());
    for (auto calls = item->getCallStack(); !calls.empty(); calls.pop())
      all += bytesOf(calls.top()->getFunction());
    most = std::max(most, all);
  }

  uint64_t bytes() const { return most; }

private:
  std::map<const llvm::Function *, uint64_t> known;
  uint64_t most = 0;

  uint64_t bytesOf(const llvm::Function *function) {
    const auto [found, isNew] = known.try_emplace(function, 0);
    if (isNew)
      for (const llvm::BasicBlock &block : *function)
        for (const llvm::Instruction &each : block)
          if (auto *variable = llvm::dyn_cast<llvm::AllocaInst>(&each))
            if (const auto bits = variable->getAllocationSizeInBits(function->getParent()->getDataLayout()))
              found->second += bits->getFixedSize() / 8;
    return found->second;
  }
};

}  // namespace
