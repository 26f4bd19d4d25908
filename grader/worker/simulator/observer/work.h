// The work of a group, per work-item: whether few work-items do it for all, between two barriers or until the group ends.
//
// Work is arithmetic, words that are read or written, and pixels. Work-items beyond the edge of an array do nothing in a
// kernel that is right. So it counts only where most work-items of the launch rest.

#pragma once

#include "device.h"

#include <algorithm>
#include <vector>

namespace {

// What each work-item of a group has done in a span of its run.
class Span {
public:
  void begins(size_t size) { done.assign(size, 0); }

  void does(unsigned number, unsigned operations) {
    if (number < done.size())
      done[number] += operations;
  }

  // Work-items that have done at least a share of what the busiest has done.
  size_t sharing() const {
    const uint64_t busiest = most();
    return size_t(std::count_if(done.begin(), done.end(), [&](uint64_t each) { return SHARE * each >= busiest; }));
  }

  size_t size() const { return done.size(); }

  // Whether most of the group have rested while few did the work. A step of a tree is a few operations, and a sum of sixteen
  // sums is not many.
  bool isUneven() const { return most() >= MUCH && 2 * sharing() < size(); }

  void ends() {
    if (most() >= MUCH) {
      items += size();
      busy += sharing();
    }
    std::fill(done.begin(), done.end(), 0);
  }

  void add(const Span &other) {
    for (size_t number = 0; number < done.size(); number++)
      done[number] += other.done[number];
  }

  void kernelBegins() { items = busy = 0; }

  // Whether most work-items of the launch have rested.
  bool mostRest() const { return 2 * busy < items; }

private:
  static constexpr uint64_t SHARE = 8, MUCH = 64;
  std::vector<uint64_t> done;                      // by work-item
  uint64_t items = 0, busy = 0;                    // of all groups, once for each span with much work

  uint64_t most() const { return done.empty() ? 0 : *std::max_element(done.begin(), done.end()); }
};

struct Work {
  Span interval, group;                            // since the last barrier; in all intervals that are not uneven

  void kernelBegins() {
    interval.kernelBegins();
    group.kernelBegins();
  }

  void groupBegins(const oclgrind::WorkGroup *of) {
    interval.begins(sizeOf(of));
    group.begins(sizeOf(of));
  }

  void does(const oclgrind::WorkItem *item, unsigned operations) { interval.does(numberOf(item), operations); }

  void barrier() {
    if (!interval.isUneven())
      group.add(interval);
    interval.ends();
  }
};

// Requests of warps of which at least half take part, while few work-items of their group do all the work. Then the others
// count as idle, and all warps wait for each request.
class Waiting {
public:
  void requests(uint64_t words) { asked += words; }

  void barrier(const Work &work) {
    if (work.interval.isUneven())
      charge(between, asked, work.interval);
    else
      left += asked;
    asked = 0;
  }

  void groupEnds(const Work &work) {
    if (work.group.isUneven())
      charge(whole, left, work.group);
    left = 0;
  }

  uint64_t idle(const Work &work) const { return sum(work, &Charge::idle); }
  uint64_t active(const Work &work) const { return sum(work, &Charge::active); }

private:
  struct Charge {
    uint64_t idle = 0, active = 0;                 // requests, once for each warp; the work-items that take part
  };

  uint64_t asked = 0, left = 0;                    // since the last barrier; in the even intervals of a group
  Charge between, whole;

  static void charge(Charge &charged, uint64_t requests, const Span &span) {
    charged.idle += requests * ((span.size() + WARP - 1) / WARP);
    charged.active += requests * span.sharing();
  }

  uint64_t sum(const Work &work, uint64_t Charge::*part) const {
    return (work.interval.mostRest() ? between.*part : 0) + (work.group.mostRest() ? whole.*part : 0);
  }
};

// Words that the busiest work-item of a launch reads and writes. They are many if few work-items do the work of all.
class Busiest {
public:
  void kernelBegins() { most = 0; }

  void groupBegins(const oclgrind::WorkGroup *group) { words.assign(sizeOf(group), 0); }

  void moves(const oclgrind::WorkItem *item, unsigned number) {
    uint64_t &own = words[numberOf(item)];
    own += number;
    most = std::max(most, own);
  }

  uint64_t moved() const { return most; }

private:
  std::vector<uint64_t> words;                     // by work-item of the group
  uint64_t most = 0;
};

}  // namespace
