// The calls that lead to an instruction.
//
// Work-items that come to a function by different calls are at different places of the kernel, though at one instruction.

#pragma once

#include "oclgrind.h"

#include <map>
#include <vector>

namespace {

class Calls {
public:
  // The number of the calls that a work-item is in; 0 in the kernel itself.
  unsigned of(const oclgrind::WorkItem *item) {
    std::vector<const llvm::Instruction *> path;
    for (auto calls = item->getCallStack(); !calls.empty(); calls.pop())
      path.push_back(calls.top());
    return path.empty() ? 0 : numbers.emplace(path, unsigned(numbers.size()) + 1).first->second;
  }

  void forget() { numbers.clear(); }

private:
  std::map<std::vector<const llvm::Instruction *>, unsigned> numbers;
};

}  // namespace
