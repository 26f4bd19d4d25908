// Branches, per line of the source: how often warps came to its conditions, and how often their work-items parted there.
//
// A line with several conditions has several branches: two conditions in one line count as they do in two lines, both where
// they are reached and where work-items part. A function that is called twice has its lines twice.

#pragma once

#include "calls.h"
#include "device.h"
#include "source.h"

#include <llvm/IR/Constants.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace {

// A condition: which way the work-items of each warp went, the n-th time in a visit to its line.
struct Condition {
  struct Outcome {
    uint64_t way;
    bool parted;
  };
  using Turn = std::pair<unsigned, unsigned>;      // the visit since the last barrier, and the n-th time in it
  std::pair<unsigned, unsigned> line;              // its number, and the calls that lead to it
  std::vector<std::map<Turn, Outcome>> pending;    // by warp
  std::vector<Turn> turns;                         // the next of each work-item
  uint64_t reached = 0;                            // by warps
};

struct Line {
  const llvm::Instruction *first = nullptr;        // the condition that is evaluated first
  std::vector<unsigned> visits;                    // by work-item, since the last barrier
  uint64_t diverged = 0;
};

// What its conditions did, by whichever calls.
struct Ways {
  std::map<const llvm::Instruction *, uint64_t> first;
  bool constant = true;                            // whether each of them always went the same way
};

const unsigned HIDDEN = 1u << 31;                    // no line of a source has a number as high

class Branches {
public:
  void kernelBegins() {
    conditions.clear();
    lines.clear();
    ways.clear();
    hidden.clear();
    calls.forget();
  }

  void groupBegins(const oclgrind::WorkGroup *group) {
    groupSize = sizeOf(group);
    for (auto &condition : conditions)
      condition.second.turns.assign(groupSize, {});
    for (auto &line : lines)
      line.second.visits.assign(groupSize, 0);
  }

  void barrier() {
    for (auto &[place, condition] : conditions) {
      Line &line = lines[condition.line];
      for (auto &warp : condition.pending) {
        for (auto &outcome : warp)
          line.diverged += outcome.second.parted;
        condition.reached += warp.size();
        warp.clear();
      }
      std::fill(condition.turns.begin(), condition.turns.end(), Condition::Turn{});
    }
    for (auto &line : lines)
      std::fill(line.second.visits.begin(), line.second.visits.end(), 0);
  }

  void executed(const oclgrind::WorkItem *item, const llvm::Instruction *instruction) {
    const llvm::Value *condition = conditionOf(instruction);
    if (!condition)
      return;
    const uint64_t value = item->getOperand(condition).getUInt();
    if (auto *choice = llvm::dyn_cast<llvm::SwitchInst>(instruction)) {
      const auto *constant = llvm::ConstantInt::get(llvm::cast<llvm::IntegerType>(condition->getType()), value);
      decide(item, instruction, choice->findCaseValue(constant)->getSuccessorIndex());
    } else {
      decide(item, instruction, value & 1);
    }
  }

  void write(llvm::json::OStream &out) const {
    std::map<unsigned, std::pair<uint64_t, uint64_t>> counts;
    for (auto &[_, condition] : conditions)
      counts[condition.line.first].first += condition.reached;
    for (auto &[place, line] : lines)
      counts[place.first].second += line.diverged;
    for (auto &[number, count] : counts)
      out.object([&, number = number, &count = count] {
        out.attribute("line", number < HIDDEN ? number : 0);
        out.attribute("reached", count.first);
        out.attribute("diverged", count.second);
        out.attribute("constant", ways.at(number).constant);
      });
  }

private:
  std::map<std::pair<const llvm::Instruction *, unsigned>, Condition> conditions;  // by their calls, too
  std::map<std::pair<unsigned, unsigned>, Line> lines;  // by number and calls
  std::map<unsigned, Ways> ways;                   // by line
  Calls calls;
  std::map<const llvm::Instruction *, unsigned> hidden;  // what stands for the lines of conditions that hide theirs
  size_t groupSize = 0;

  void decide(const oclgrind::WorkItem *item, const llvm::Instruction *instruction, uint64_t way) {
    const Spot spot = spotOf(instruction);
    if (!spot.line && instruction->getFunction()->getSubprogram())
      return;  // made by the compiler; in a function that hides its lines (nodebug) all branches are the source's
    const unsigned path = calls.of(item);
    Condition &condition = conditions[{instruction, path}];
    condition.line = {spot.line ? spot.line : hidden.emplace(instruction, HIDDEN + hidden.size()).first->second, path};
    Line &line = lines[condition.line];
    if (!line.first)
      line.first = instruction;
    Ways &known = ways[condition.line.first];
    known.constant &= known.first.emplace(instruction, way).first->second == way;
    if (condition.turns.size() < groupSize)
      condition.turns.resize(groupSize);
    if (line.visits.size() < groupSize)
      line.visits.resize(groupSize, 0);
    const unsigned number = numberOf(item), warp = number / WARP;
    if (line.first == instruction)
      line.visits[number]++;
    if (condition.pending.size() <= warp)
      condition.pending.resize(warp + 1);
    Condition::Turn &turn = condition.turns[number];
    if (turn.first != line.visits[number])
      turn = {line.visits[number], 0};
    const auto met = condition.pending[warp].insert({turn, {way, false}});
    if (met.first->second.way != way)
      met.first->second.parted = true;
    turn.second++;
  }
};

}  // namespace
