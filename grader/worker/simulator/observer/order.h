// The order in which the work-items of a group run.
//
// Oclgrind runs them in ascending order, each up to a barrier. With GRADER_ORDER=mixed, the order is shuffled for
// each group and after each barrier. The random numbers are always the same, so that a kernel gives the same line every
// time. A work-item also lets the others run before an atomic function other than compare-and-swap, and after a
// compare-and-swap that did not store. So results are wrong if they depend on the order, or if a kernel uses two atomic
// functions where one is needed.
//
// Oclgrind runs the first work-item that it knows to be running. So this class reports all but one as finished. When a
// work-item stops (at a barrier, at its end, or to let others run), it makes Oclgrind switch to the next one.

#pragma once

#include "oclgrind.h"

#include <llvm/IR/Instructions.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <random>
#include <string>

namespace {

class Order {
public:
  void kernelBegins(const oclgrind::KernelInvocation *begun) {
    const char *asked = std::getenv("GRADER_ORDER");
    isMixed = asked && std::string(asked) == "mixed";
    invocation = const_cast<oclgrind::KernelInvocation *>(begun);
    drawn.seed();
  }

  // A group begins, or has left a barrier.
  void released(const oclgrind::WorkGroup *released) {
    if (!isMixed)
      return;
    auto *group = const_cast<oclgrind::WorkGroup *>(released);
    const oclgrind::Size3 size = group->getGroupSize();
    waiting.clear();
    for (size_t z = 0; z < size.z; z++)
      for (size_t y = 0; y < size.y; y++)
        for (size_t x = 0; x < size.x; x++)
          if (group->getWorkItem({x, y, z})->getState() == oclgrind::WorkItem::READY)
            waiting.push_back(group->getWorkItem({x, y, z}));
    if (waiting.empty())
      return;
    std::shuffle(waiting.begin(), waiting.end(), drawn);
    waiting.pop_front();
    for (oclgrind::WorkItem *each : waiting)
      group->notifyFinished(each);
  }

  // A compare-and-swap reads; it stores if the word has the value that it expects.
  void compares() { isRefused = true; }
  void swaps() { isRefused = false; }

  void executed(const oclgrind::WorkItem *item, const llvm::Instruction *instruction) {
    const bool wasRefused = isRefused;
    isRefused = false;
    if (!isMixed || waiting.empty())
      return;
    if (item->getState() == oclgrind::WorkItem::READY) {
      if (!wasRefused && !storesByAnAtomic(instruction->getNextNode()))
        return;
      waiting.push_back(const_cast<oclgrind::WorkItem *>(item));
    }
    const oclgrind::WorkItem *next = waiting.front();
    waiting.pop_front();
    const oclgrind::Size3 id = next->getLocalID(), group = next->getWorkGroup()->getGroupID();
    const oclgrind::Size3 size = invocation->getLocalSize();
    invocation->switchWorkItem({group.x * size.x + id.x, group.y * size.y + id.y, group.z * size.z + id.z});
  }

private:
  bool isMixed = false, isRefused = false;
  oclgrind::KernelInvocation *invocation = nullptr;
  std::mt19937 drawn;
  std::deque<oclgrind::WorkItem *> waiting;          // of the group that runs, in their order

  static bool storesByAnAtomic(const llvm::Instruction *instruction) {
    auto *call = llvm::dyn_cast_or_null<llvm::CallInst>(instruction);
    const llvm::Function *function = call ? call->getCalledFunction() : nullptr;
    return (function && function->isDeclaration() && function->getName().contains("atom") &&
            !function->getName().contains("cmpxchg")) ||
           llvm::isa_and_nonnull<llvm::AtomicRMWInst>(instruction);
  }
};

}  // namespace
