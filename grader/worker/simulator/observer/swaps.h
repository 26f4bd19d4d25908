// Loops of compare-and-swap: a word is read, and swapped only if it is still what was read; else all is done again.
//
// OpenCL C 1.2 has no other read for that than a plain one. It is a race with the swaps of others, and does no harm. Such
// a read is known at run time: the next swap of that word by the work-item expects what was read, and what the swap gives
// back decides whether the work-item swaps once more. A work-item may leave the loop before its swap, but only for what it
// has read: as where the word is large enough already.

#pragma once

#include "marks.h"
#include "oclgrind.h"
#include "source.h"
#include "values.h"

#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <map>
#include <set>
#include <stack>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace {

// The value with which a compare-and-swap compares; Oclgrind has seen that the instruction is one.
const llvm::Value *expectedBy(const llvm::Instruction *swap) {
  if (auto *instruction = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(swap))
    return instruction->getCompareOperand();
  auto *call = llvm::dyn_cast<llvm::CallInst>(swap);  // of atomic_cmpxchg(word, expected, desired)
  return call && call->arg_size() == 3 ? call->getArgOperand(1) : nullptr;
}

// The branches of a program that decide whether a swap is done once more. Only names of built-in functions count.
class Retries {
public:
  void kernelBegins(const llvm::Module *kernels) {
    swapping.clear();
    known.clear();
    for (size_t before = ~size_t(0); before != swapping.size();) {
      before = swapping.size();
      for (const llvm::Function &function : *kernels)
        if (function.isDeclaration() ? function.getName().contains("_cmpxchg")
                                     : std::any_of(function.begin(), function.end(),
                                                   [&](const llvm::BasicBlock &block) { return swaps(block); }))
          swapping.insert(&function);
    }
  }

  // Whether any function may swap.
  bool any() const { return !swapping.empty(); }

  // Whether a branch is in a loop with a swap, and decides whether that goes on.
  bool decidedBy(const llvm::Instruction *branch) {
    const auto [found, isNew] = known.insert({branch->getParent(), false});
    if (isNew)
      found->second = repeats(branch->getParent());
    return found->second;
  }

private:
  using Block = const llvm::BasicBlock *;

  std::set<const llvm::Function *> swapping;       // the functions that swap, or call one that does
  std::map<Block, bool> known;                     // by the block that a branch ends

  bool swaps(const llvm::BasicBlock &block) const {
    return std::any_of(block.begin(), block.end(), [&](const llvm::Instruction &each) {
      auto *call = llvm::dyn_cast<llvm::CallInst>(&each);
      return llvm::isa<llvm::AtomicCmpXchgInst>(each) || (call && swapping.count(call->getCalledFunction()));
    });
  }

  static std::set<Block> after(Block start, const std::set<Block> &without) {
    return met(start, without, [](Block block) { return llvm::successors(block); });
  }

  static std::set<Block> ahead(Block start, const std::set<Block> &without) {
    return met(start, without, [](Block block) { return llvm::predecessors(block); });
  }

  // The blocks to which one leads, by none of those that are left out.
  template <class Next> static std::set<Block> met(Block start, const std::set<Block> &without, Next nextOf) {
    std::set<Block> found;
    std::vector<Block> open{start};
    while (!open.empty()) {
      const Block block = open.back();
      open.pop_back();
      for (const Block next : nextOf(block))
        if (!without.count(next) && found.insert(next).second)
          open.push_back(next);
    }
    return found;
  }

  static std::set<Block> loopOf(Block branch, const std::set<Block> &without) {
    const std::set<Block> next = after(branch, without), last = ahead(branch, without);
    std::set<Block> found;
    std::set_intersection(next.begin(), next.end(), last.begin(), last.end(), std::inserter(found, found.end()));
    return found;
  }

  // Blocks to which both sides of the branch lead in the end are not decided by it.
  bool repeats(Block branch) const {
    std::set<Block> common;
    for (const Block block : loopOf(branch, {})) {
      const std::set<Block> others = after(branch, {block});
      if (std::none_of(others.begin(), others.end(), [](Block each) { return llvm::succ_empty(each); }))
        common.insert(block);
    }
    const std::set<Block> loop = loopOf(branch, common);
    return std::any_of(loop.begin(), loop.end(), [&](Block block) { return swaps(*block); });
  }
};

// Where values go: through the variables, the expressions and the functions of each work-item.
class Trail {
public:
  void groupBegins() {
    values.clear();
    shadow = {};
  }

  // The current instruction gives a value with this mark.
  void gives(size_t size, Mark mark) { loaded.assign(size, mark); }

  void load(const oclgrind::Memory *own, size_t address, size_t size) {
    loaded.assign(size, FINE);
    shadow.read(own, address, loaded);
    std::replace(loaded.begin(), loaded.end(), NEVER, FINE);
  }

  void store(const oclgrind::Memory *own, const oclgrind::WorkItem *item, size_t address, size_t size) {
    shadow.write(own, address, size, values[item].stored(item, size, loaded));
  }

  void executed(const oclgrind::WorkItem *item, const llvm::Instruction *instruction) {
    values[item].executed(item, instruction, loaded);
    loaded.clear();
  }

  // The mark of a value; 0 if it has none.
  Mark of(const oclgrind::WorkItem *item, const llvm::Value *value) { return values[item].first(value); }

private:
  std::unordered_map<const oclgrind::WorkItem *, Values> values;
  Shadow shadow;
  Marks loaded;                                    // the bytes that the current instruction has read
};

class Swaps {
public:
  using Item = std::array<size_t, 3>;              // a work-item's global id

  void kernelBegins(const llvm::Module *kernels) {
    retries.kernelBegins(kernels);
    swaps.clear();
    marks.clear();
    repeated.assign(2, false);
    origins.assign(2, {});
    originOf.clear();
    reads.clear();
    compared.clear();
    groupBegins();
  }

  void groupBegins() {
    ofSwaps.groupBegins();
    ofReads.groupBegins();
  }

  // All work-items of a group have come to a barrier, or to their end: what they did to the memory is in order.
  void ordered(unsigned space) { intervals[space]++; }

  void load(const oclgrind::Memory *memory, const oclgrind::WorkItem *item, size_t address, size_t size) {
    if (!retries.any() || !memory->isAddressValid(address, size))
      return;
    if (memory->getAddressSpace() == oclgrind::AddrSpacePrivate) {
      ofSwaps.load(memory, address, size);
      ofReads.load(memory, address, size);
      return;
    }
    const uint64_t swapped = reads[{memory->getAddressSpace(), address / WORD, idOf(item)}].swapped;
    ofReads.gives(size, markOf(Origin{memory->getAddressSpace(), address, size, siteOf(item), swapped}));
    auto *bytes = static_cast<const uint8_t *>(memory->getPointer(address));
    for (size_t word = address / WORD; word * WORD < address + size; word++) {
      Reads &mine = reads[{memory->getAddressSpace(), word, idOf(item)}];
      mine.close();
      mine.last = {siteOf(item), intervals[memory->getAddressSpace()], valueAt(word, bytes, address, size), false};
      mine.isOpen = true;
    }
  }

  void store(const oclgrind::Memory *memory, const oclgrind::WorkItem *item, size_t address, size_t size) {
    if (!retries.any() || memory->getAddressSpace() != oclgrind::AddrSpacePrivate)
      return;
    ofSwaps.store(memory, item, address, size);
    ofReads.store(memory, item, address, size);
  }

  // A compare-and-swap expects what the work-item has read last, or something else.
  void swapped(const oclgrind::Memory *memory, const oclgrind::WorkItem *item, size_t address, size_t size) {
    const llvm::Instruction *swap = item->getCurrentInstruction();
    swaps.insert(swap);
    const Mark mark = markOf(siteOf(item));
    ofSwaps.gives(size, mark);
    const llvm::Value *expected = expectedBy(swap);
    if (!expected)
      return;
    const oclgrind::TypedValue value = item->getOperand(expected);
    for (size_t word = address / WORD; word * WORD < address + size; word++) {
      auto found = reads.find({memory->getAddressSpace(), word, idOf(item)});
      if (found == reads.end() || !found->second.isOpen || value.size < size)
        continue;
      Reads &mine = found->second;
      if (mine.last.value != valueAt(word, value.data, address, size))
        continue;
      mine.isOpen = false;
      mine.swapped++;
      compared[{memory->getAddressSpace(), word, mine.last.site}].insert(mark);
    }
  }

  void executed(const oclgrind::WorkItem *item, const llvm::Instruction *instruction) {
    if (!retries.any())
      return;
    if (const llvm::Value *condition = conditionOf(instruction)) {
      if (const Mark mark = ofSwaps.of(item, condition))
        repeated[mark] = repeated[mark] || retries.decidedBy(instruction);
      if (const Mark mark = ofReads.of(item, condition))
        decides(item, origins[mark]);
    }
    ofSwaps.executed(item, instruction);
    ofReads.executed(item, instruction);
  }

  // Whether an instruction has compared and swapped.
  bool have(const llvm::Instruction *instruction) const { return swaps.count(instruction); }

  // A plain read, and whether it was for a swap.
  struct Known {
    const llvm::Instruction *read;
    bool isForSwap;
  };

  // How a work-item has read a word since the last barrier, or ever, in the order of the source. Where others that read
  // the word have swapped it, a read may decide to go without a swap.
  std::vector<Known> readsOf(unsigned space, size_t address, const Item &item, bool ever) const {
    const size_t word = address / WORD;
    std::vector<Known> known;
    const auto found = reads.find({space, word, item});
    if (found == reads.end())
      return known;
    const auto add = [&](const Read &read, bool isForSwap) {
      if (ever || read.interval == intervals[space])
        known.push_back({read.site.first, isForSwap && isCompared({space, word, read.site})});
    };
    for (const auto &stray : found->second.strays)
      add(stray.second, stray.second.decides);
    const Read &last = found->second.last;
    add(last, last.decides || !found->second.isOpen);
    std::stable_sort(known.begin(), known.end(),
                     [](const Known &one, const Known &other) { return spotOf(one.read) < spotOf(other.read); });
    return known;
  }

private:
  static constexpr size_t WORD = 4;

  using Site = std::pair<const llvm::Instruction *, const llvm::Instruction *>;  // and the call of its function
  using Value = std::pair<uint32_t, uint32_t>;     // the bytes of a word, and which of them are known

  struct Read {
    Site site;
    uint64_t interval;
    Value value;
    bool decides;                                  // whether a branch depends on it
  };

  // What a work-item has read of a word: last, and before that for no swap, with the interval in which it was last.
  struct Reads {
    Read last;
    bool isOpen = false;
    uint64_t swapped = 0;                          // how often it was for a swap
    std::map<Site, Read> strays;

    void close() {
      if (!isOpen)
        return;
      const auto found = strays.find(last.site);
      if (found != strays.end() && found->second.interval == last.interval)
        last.decides &= found->second.decides;
      strays[last.site] = last;
    }
  };

  // A plain read of any work-item that has swapped the word so often.
  struct Origin {
    unsigned space;
    size_t address, size;
    Site site;
    uint64_t swapped;
  };

  Retries retries;
  std::set<const llvm::Instruction *> swaps;       // that the kernel has executed
  std::map<Site, Mark> marks;                      // what swaps give back is followed by a mark for each of them
  std::vector<bool> repeated;                      // whether a swap is done again if it fails, by its mark
  std::vector<Origin> origins;                     // by the marks that follow what was read
  std::map<std::tuple<unsigned, size_t, Site, uint64_t>, Mark> originOf;
  std::map<std::tuple<unsigned, size_t, Item>, Reads> reads;  // by space and word
  std::map<std::tuple<unsigned, size_t, Site>, std::set<Mark>> compared;  // with what was read, by which swaps
  std::array<uint64_t, 4> intervals{};             // between barriers, by space
  Trail ofSwaps, ofReads;                          // of what swaps give back, and of what was read

  static Item idOf(const oclgrind::WorkItem *item) {
    const oclgrind::Size3 id = item->getGlobalID();
    return {id.x, id.y, id.z};
  }

  static Site siteOf(const oclgrind::WorkItem *item) {
    const auto &calls = item->getCallStack();
    return {item->getCurrentInstruction(), calls.empty() ? nullptr : calls.top()};
  }

  static Value valueAt(size_t word, const uint8_t *bytes, size_t address, size_t size) {
    std::array<uint8_t, WORD> value{}, known{};
    for (size_t i = 0; i < WORD; i++)
      if (const size_t at = word * WORD + i; at >= address && at < address + size) {
        value[i] = bytes[at - address];
        known[i] = 1;
      }
    Value found;
    std::memcpy(&found.first, value.data(), WORD);
    std::memcpy(&found.second, known.data(), WORD);
    return found;
  }

  Mark markOf(const Site &swap) {
    const auto [found, isNew] = marks.insert({swap, Mark(repeated.size())});
    if (isNew)
      repeated.push_back(false);
    return found->second;
  }

  Mark markOf(const Origin &read) {
    const auto [found, isNew] = originOf.insert({{read.space, read.address, read.site, read.swapped}, Mark(origins.size())});
    if (isNew)
      origins.push_back(read);
    return found->second;
  }

  // A branch depends on what a work-item has read, and has not swapped since.
  void decides(const oclgrind::WorkItem *item, const Origin &read) {
    for (size_t word = read.address / WORD; word * WORD < read.address + read.size; word++) {
      const auto found = reads.find({read.space, word, idOf(item)});
      if (found != reads.end() && found->second.last.site == read.site && found->second.swapped == read.swapped)
        found->second.last.decides = true;
    }
  }

  bool isCompared(const std::tuple<unsigned, size_t, Site> &read) const {
    const auto found = compared.find(read);
    return found != compared.end() && std::all_of(found->second.begin(), found->second.end(),
                                                  [&](Mark swap) { return repeated[swap]; });
  }
};

}  // namespace
