// Arithmetic, per work-item: whether few work-items of a group do the work of all between two barriers.
//
// Work-items beyond the edge of an array do nothing in a kernel that is right. So it counts only where most work-items of
// the launch rest.

#pragma once

#include "device.h"

#include <algorithm>
#include <vector>

namespace {

class Work {
public:
  void kernelBegins() { items = busy = 0; }

  void groupBegins(const oclgrind::WorkGroup *group) { flop.assign(sizeOf(group), 0); }

  void does(const oclgrind::WorkItem *item, unsigned operations) {
    const unsigned number = numberOf(item);
    if (number < flop.size())
      flop[number] += operations;
  }

  // Work-items that have done at least a share of what the busiest has done since the last barrier.
  size_t sharing() const {
    const uint64_t busiest = most();
    return size_t(std::count_if(flop.begin(), flop.end(), [&](uint64_t each) { return SHARE * each >= busiest; }));
  }

  size_t size() const { return flop.size(); }

  // Whether most of the group have rested since the last barrier while few did the work. A step of a tree is one operation.
  bool isUneven() const { return most() >= MUCH && 2 * sharing() < size(); }

  void barrier() {
    if (most() >= MUCH) {
      items += size();
      busy += sharing();
    }
    std::fill(flop.begin(), flop.end(), 0);
  }

  // Whether most work-items of the launch have rested.
  bool mostRest() const { return 2 * busy < items; }

private:
  static constexpr uint64_t SHARE = 8, MUCH = 32;
  std::vector<uint64_t> flop;                      // by work-item, since the last barrier
  uint64_t items = 0, busy = 0;                    // of all groups, once for each interval with much work

  uint64_t most() const { return flop.empty() ? 0 : *std::max_element(flop.begin(), flop.end()); }
};

}  // namespace
