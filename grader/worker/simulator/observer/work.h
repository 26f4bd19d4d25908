// Arithmetic, per work-item of a group: whether few of them do the work of all.

#pragma once

#include "device.h"

#include <algorithm>
#include <vector>

namespace {

class Work {
public:
  void groupBegins(const oclgrind::WorkGroup *group) { flop.assign(sizeOf(group), 0); }

  void does(const oclgrind::WorkItem *item, unsigned operations) {
    const unsigned number = numberOf(item);
    if (number < flop.size())
      flop[number] += operations;
  }

  // Work-items that do at least a share of what the busiest does.
  size_t busy() const {
    const uint64_t most = flop.empty() ? 0 : *std::max_element(flop.begin(), flop.end());
    return size_t(std::count_if(flop.begin(), flop.end(), [&](uint64_t each) { return SHARE * each >= most; }));
  }

  // Whether most work-items rest while few do all. The last steps of a tree are few operations, which are not counted.
  bool isUneven() const {
    return !flop.empty() && *std::max_element(flop.begin(), flop.end()) >= MUCH && 2 * busy() < flop.size();
  }

  size_t size() const { return flop.size(); }

private:
  static constexpr uint64_t SHARE = 8, MUCH = 32;    // a tree of 128 words is 7 operations, after 4 for the first word
  std::vector<uint64_t> flop;                      // by work-item
};

}  // namespace
