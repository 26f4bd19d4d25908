// The order in which the work-items of a group run.
//
// Oclgrind runs them in ascending order, each up to a barrier. With GRADER_ORDER=mixed, the order is shuffled for
// each group and after each barrier. The random numbers are always the same, so that a kernel gives the same line every
// time. A work-item also lets the others run after some of its reads of local or global memory, and after each atomic
// function that has changed a word: so none takes all pieces of work. After a compare-and-swap it lets them run if that
// did not store, and never if it did, which may have taken a lock. So results are wrong if they depend on the order, or
// if another work-item may come between a read and a write.
//
// Oclgrind runs the first work-item that it knows to be running. So this class reports all but one as finished. When a
// work-item stops (at a barrier, at its end, or to let others run), it makes Oclgrind switch to the next one.

#pragma once

#include "oclgrind.h"

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace {

class Order {
public:
  void kernelBegins(const oclgrind::KernelInvocation *begun) {
    const char *asked = std::getenv("GRADER_ORDER");
    mixes = asked && std::string(asked) == "mixed";
    invocation = const_cast<oclgrind::KernelInvocation *>(begun);
    drawn.seed();
  }

  bool isMixed() const { return mixes; }

  // A group begins, or has left a barrier.
  void released(const oclgrind::WorkGroup *released) {
    if (!mixes)
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

  // A read.
  void uses() { yields = yields || drawn() % USES == 0; }

  // An atomic function other than compare-and-swap begins; one that changes nothing is a read.
  void mayChange(const oclgrind::Memory *memory, size_t address, size_t size) {
    uses();
    if (auto *place = mixes ? static_cast<const uint8_t *>(memory->getPointer(address)) : nullptr)
      changing = {place, {place, place + size}};
  }

  // A compare-and-swap reads; it stores if the word has the value that it expects.
  void compares() { yields = true; }
  void swaps() { yields = false; }

  void executed(const oclgrind::WorkItem *item) {
    const auto &[place, before] = changing;
    const bool stays = !yields && (!place || std::equal(before.begin(), before.end(), place));
    yields = false;
    changing = {};
    if (!mixes || waiting.empty())
      return;
    if (item->getState() == oclgrind::WorkItem::READY) {
      if (stays)
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
  // After one in so many, the others run: often enough for sums without order, and seldom enough that a loop with a
  // compare-and-swap is hardly ever refused, as it was in no order without breaks.
  static constexpr unsigned USES = 16;

  bool mixes = false, yields = false;                // lets the others run after this instruction
  std::pair<const uint8_t *, std::vector<uint8_t>> changing{};  // a word, and what it was before this instruction
  oclgrind::KernelInvocation *invocation = nullptr;
  std::mt19937 drawn;
  std::deque<oclgrind::WorkItem *> waiting;          // of the group that runs, in their order
};

}  // namespace
