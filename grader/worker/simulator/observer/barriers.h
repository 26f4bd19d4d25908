// Work-items of a group that wait at different barriers.
//
// Oclgrind compares the places of barriers in the source: those that a function hides, those of one macro, and one that is
// in a function with several calls look the same to it.

#pragma once

#include "oclgrind.h"
#include "quotes.h"

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

namespace {

class Barriers {
public:
  // All work-items have left a barrier, or none has come to one.
  void left() { first.clear(); }

  // A message about a work-item that waits elsewhere than the first of its group; none if Oclgrind has one.
  std::string executed(const oclgrind::WorkItem *item, const llvm::Instruction *instruction) {
    if (item->getState() != oclgrind::WorkItem::BARRIER)
      return "";
    const Path path = pathOf(item, instruction);
    if (first.empty())
      first = path;
    const auto [here, there] = std::mismatch(path.begin(), path.end(), first.begin(), first.end());
    if (here == path.end() || there == first.end() || path.back()->getDebugLoc() != first.back()->getDebugLoc())
      return "";
    std::ostringstream said;
    said << "Work-group divergence detected (barrier)\n\tWork-group: " << item->getWorkGroup()->getGroupID()
         << "\n\n\tWork-item:  Global" << item->getGlobalID() << " Local" << item->getLocalID() << " Group"
         << item->getWorkGroup()->getGroupID() << "\n\t  " << quoted(*here)
         << "\n\tPrevious work-items executed:\n\t  " << quoted(*there);
    return said.str();
  }

private:
  using Path = std::vector<const llvm::Instruction *>;  // the calls that lead to a barrier, and the barrier

  Path first;                                      // of the first work-item that waits

  static Path pathOf(const oclgrind::WorkItem *item, const llvm::Instruction *barrier) {
    Path path{barrier};
    for (auto calls = item->getCallStack(); !calls.empty(); calls.pop())
      path.push_back(calls.top());
    std::reverse(path.begin(), path.end());
    return path;
  }
};

}  // namespace
