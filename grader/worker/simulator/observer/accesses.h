// Accesses, per expression of the source: requests of warps, sectors moved, turns of the banks of local memory.
//
// The work-items of a warp are taken to run in step: the n-th time that each of them executes an expression since the
// last barrier, by the same calls, is one request. Oclgrind runs work-items one after the other, in any order, so requests are
// put together between two barriers. A work-item moves at most 16 bytes per request, as on a GPU: a copy of more takes several requests.

#pragma once

#include "arrays.h"
#include "calls.h"
#include "device.h"
#include "source.h"
#include "work.h"

#include <llvm/Support/Format.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <array>
#include <bitset>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace {

constexpr size_t WIDEST = 16;                      // bytes that a work-item moves in one request
constexpr size_t COMPANY = 8;                      // work-items who read the same bytes, for these to be read in common

// What one work-item moves in one request.
struct Lane {
  unsigned lane = 0, piece = 0;                    // which work-item of the warp; which part of a longer access
  size_t address = 0, size = 0;
  size_t end() const { return address + size; }

  // Whether both name the same word, or each its own of a row.
  bool isBeside(const Lane &other) const {
    const int64_t distance = int64_t(address) - int64_t(other.address);
    return distance == 0 || distance == int64_t(size) * (int64_t(lane) - int64_t(other.lane));
  }
};

// One execution of an expression by a warp: a request for each piece.
struct Execution {
  std::vector<Lane> lanes;
  std::vector<Lane> kept;                          // of work-items who have the word in a register

  // Work-items that take part: those who ask for a word, and those who have in a register what others ask for, or what
  // lies in one row with that.
  unsigned active() const {
    std::set<unsigned> taking;
    for (const Lane &each : lanes)
      taking.insert(each.lane);
    for (const Lane &each : kept)
      if (std::any_of(lanes.begin(), lanes.end(), [&](const Lane &asks) { return each.isBeside(asks); }))
        taking.insert(each.lane);
    return unsigned(taking.size());
  }
};

// The words that a work-item has read last. An optimising compiler keeps them in registers until they may have changed,
// so that naming one again costs no access; what runs here is not optimised, and reads it each time.
class Kept {
public:
  // Whether this word is one of them; from now on it is.
  bool has(size_t address, size_t size) {
    const std::pair<size_t, size_t> word{address, size};
    if (std::find(words.begin(), words.end(), word) != words.end())
      return true;
    words[next++ % words.size()] = word;
    return false;
  }

private:
  std::array<std::pair<size_t, size_t>, 16> words{};  // half of the registers that the fullest multiprocessor gives
  unsigned next = 0;
};

// A sector of global memory, or a word of a bank of local memory: how much of it is asked for.
struct Unit {
  size_t number;
  std::bitset<128> bytes;                          // that are used
  size_t asked = 0;                                // bytes, by all work-items, who may share them
  bool isShared() const { return asked >= COMPANY * bytes.count(); }
};

// The units of a request, by their numbers.
std::vector<Unit> unitsOf(std::vector<Lane> lanes, size_t width) {
  std::sort(lanes.begin(), lanes.end(), [](const Lane &a, const Lane &b) { return a.address < b.address; });
  std::vector<Unit> units;
  for (const Lane &each : lanes)
    for (size_t number = each.address / width; number <= (each.end() - 1) / width; number++) {
      const size_t first = std::max(each.address, number * width), end = std::min(each.end(), (number + 1) * width);
      auto found = std::find_if(units.rbegin(), units.rend(), [&](const Unit &unit) { return unit.number <= number; });
      if (found == units.rend() || found->number < number)
        found = std::make_reverse_iterator(units.insert(found.base(), {number, {}}) + 1);
      for (size_t byte = first; byte < end; byte++)
        found->bytes.set(byte % width);
      found->asked += end - first;
    }
  return units;
}

// The sectors that work-items of a warp have read in common last. They read the next word of such a sector from a cache,
// as in the loop of a product; so what one request leaves unused, another may use.
class Common {
public:
  // Bytes that were moved and not used, of the sector that makes room for this one.
  size_t read(const Unit &sector) {
    for (Unit &each : sectors)
      if (each.number == sector.number) {
        each.bytes |= sector.bytes;
        return 0;
      }
    sectors.push_back(sector);
    return sectors.size() > 16 ? forgetFirst() : 0;
  }

  // That of all of them, which are forgotten.
  size_t forget() {
    size_t unused = 0;
    while (!sectors.empty())
      unused += forgetFirst();
    return unused;
  }

private:
  std::deque<Unit> sectors;

  size_t forgetFirst() {
    const size_t unused = SECTOR - sectors.front().bytes.count();
    sectors.pop_front();
    return unused;
  }
};

struct Site {
  Spot spot;
  std::string array;
  unsigned space = 0, number = 0;                  // `number`: which one it is, in the order in which they were met
  bool writes = false;
  std::map<unsigned, std::vector<std::vector<Execution>>> pending;  // by calls and warp, since the last barrier
  std::map<unsigned, std::vector<unsigned>> executions;  // by calls and work-item, since the last barrier
  std::vector<Lane> copying;                       // by the group, until a request is full
  uint64_t requests = 0, mostlyIdle = 0, active = 0, bytes = 0, unused = 0, moved = 0, fewest = 0, conflicts = 0;
  double worst = 0;
  std::map<int64_t, uint64_t> strides;
  std::vector<Common> common;                      // by warp, of a group
  Waiting waiting;

  void count(Execution &execution, unsigned warp) {
    auto &lanes = execution.lanes;
    const unsigned taking = execution.active();
    std::sort(lanes.begin(), lanes.end(), [](const Lane &a, const Lane &b) {
      return std::tie(a.piece, a.lane) < std::tie(b.piece, b.lane);
    });
    for (auto first = lanes.begin(); first != lanes.end();) {
      const auto end = std::find_if(first, lanes.end(), [&](const Lane &a) { return a.piece != first->piece; });
      countRequest({first, end}, warp);
      if (2 * taking < WARP) {
        mostlyIdle += wordsOf(first, end);
        active += wordsOf(first, end) * taking;
      } else {
        waiting.requests(wordsOf(first, end));
      }
      first = end;
    }
  }

  // Words that each work-item asks for: a vector is as much work as its words.
  template <typename Lanes> static uint64_t wordsOf(Lanes first, Lanes end) {
    const auto largest = std::max_element(first, end, [](const Lane &a, const Lane &b) { return a.size < b.size; });
    return (largest->size + BANK - 1) / BANK;
  }

  // The whole group takes part in a copy, also in the last request of it.
  void countCopy() {
    if (!copying.empty())
      countRequest(copying, 0);
    copying.clear();
  }

  void countRequest(const std::vector<Lane> &lanes, unsigned warp) {
    for (size_t i = 0; i < lanes.size(); i++) {
      bytes += lanes[i].size;
      if (i > 0 && lanes[i].lane == lanes[i - 1].lane + 1)
        strides[int64_t(lanes[i].address) - int64_t(lanes[i - 1].address)]++;
    }
    const bool local = space == oclgrind::AddrSpaceLocal;
    const std::vector<Unit> units = unitsOf(lanes, local ? BANK : SECTOR);
    const auto [turns, least] = local ? turnsOf(units) : movedBy(units, warp);
    requests += local ? wordsOf(lanes.begin(), lanes.end()) : 1;
    moved += turns;
    fewest += least;
    worst = std::max(worst, double(turns) / double(least));
    if (local)
      conflicts = std::max(conflicts, turns - least);
  }

  // Words of the bank that is asked for most, and of each if they were shared out evenly.
  std::pair<uint64_t, uint64_t> turnsOf(const std::vector<Unit> &units) const {
    std::vector<uint64_t> banks(BANKS);
    for (const Unit &each : units)
      banks[each.number % BANKS]++;
    return {*std::max_element(banks.begin(), banks.end()), (units.size() + BANKS - 1) / BANKS};
  }

  // Sectors moved, and the fewest that hold as many words. What is not used of them is counted: at once, unless
  // so many work-items read the same words that they read the next ones from a cache.
  std::pair<uint64_t, uint64_t> movedBy(const std::vector<Unit> &units, unsigned warp) {
    size_t used = 0;
    if (common.size() <= warp)
      common.resize(warp + 1);
    for (const Unit &each : units) {
      used += each.bytes.count();
      unused += writes || !each.isShared() ? SECTOR - each.bytes.count() : common[warp].read(each);
    }
    return {units.size(), (used + SECTOR - 1) / SECTOR};
  }

  void groupEnds(const Work &work) {
    for (Common &each : common)
      unused += each.forget();
    waiting.groupEnds(work);
  }

  void barrier(const Work &work) {
    flush();
    waiting.barrier(work);
  }

  void kernelEnds(const Work &work) {
    mostlyIdle += waiting.idle(work);
    active += waiting.active(work);
  }

  void flush() {
    for (auto &[calls, warps] : pending)
      for (unsigned warp = 0; warp < warps.size(); warp++) {
        for (auto &execution : warps[warp])
          count(execution, warp);
        warps[warp].clear();
      }
    countCopy();
    executions.clear();
  }

  // The commonest distance between neighbouring work-items.
  llvm::json::Value stride() const {
    if (strides.empty())
      return nullptr;
    auto commonest = std::max_element(strides.begin(), strides.end(),
                                      [](const auto &a, const auto &b) { return a.second < b.second; });
    return commonest->first;
  }

  void write(llvm::json::OStream &out) const {
    out.attribute("line", spot.line);
    out.attribute("column", spot.column);
    out.attribute("array", text(array));
    out.attribute("space", space);
    out.attribute("writes", writes);
    out.attribute("requests", requests);
    out.attribute("mostly_idle", mostlyIdle);
    out.attribute("active", active);
    out.attribute("bytes", bytes);
    out.attribute("unused", unused);
    out.attribute("sectors", moved);
    out.attribute("fewest", fewest);
    out.attribute("conflicts", conflicts);
    out.attributeBegin("worst");
    out.rawValue([&](llvm::raw_ostream &raw) { raw << llvm::format("%g", worst); });
    out.attributeEnd();
    out.attribute("stride", stride());
  }
};

class Accesses {
public:
  explicit Accesses(const Arrays &arrays) : arrays(arrays) {}

  void kernelBegins() {
    sites.clear();
    calls.forget();
  }

  void groupBegins(const oclgrind::WorkGroup *group) {
    groupSize = sizeOf(group);
    kept.assign(groupSize, {});
    for (auto &site : sites)
      site.second.executions.clear();
  }

  void groupEnds(const Work &work) {
    for (auto &site : sites)
      site.second.groupEnds(work);
  }

  void barrier(const Work &work) {
    kept.assign(groupSize, {});
    for (auto &site : sites)
      site.second.barrier(work);
  }

  void kernelEnds(const Work &work) {
    for (auto &site : sites)
      site.second.kernelEnds(work);
  }

  void access(const oclgrind::Memory *memory, const oclgrind::WorkItem *item, size_t address, size_t size,
              bool writes) {
    if (memory->getAddressSpace() == oclgrind::AddrSpacePrivate)
      return;
    const llvm::Instruction *instruction = item->getCurrentInstruction();
    const size_t buffer = memory->extractBuffer(address);
    const unsigned space = writes ? memory->getAddressSpace() : arrays.spaceOf(memory, buffer);
    Site &site = siteOf(Key{instruction, space, buffer, writes}, instruction, memory);
    const unsigned number = numberOf(item), warp = number / WARP, path = calls.of(item);
    auto &times = site.executions[path];
    times.resize(groupSize, 0);
    auto &warps = site.pending[path];
    if (warps.size() <= warp)
      warps.resize(warp + 1);
    auto &executions = warps[warp];
    const unsigned execution = times[number]++;
    if (executions.size() <= execution)
      executions.resize(execution + 1);
    if (writes && space == oclgrind::AddrSpaceGlobal)
      forget(number);
    for (unsigned piece = 0; piece * WIDEST < size; piece++) {
      const Lane lane{number % WARP, piece, address + piece * WIDEST, std::min(WIDEST, size - piece * WIDEST)};
      const bool asks = space != oclgrind::AddrSpaceGlobal || writes || !isKept(number, instruction, lane);
      (asks ? executions[execution].lanes : executions[execution].kept).push_back(lane);
    }
  }

  // A copy by the whole group (async_work_group_copy) comes element by element: neighbouring work-items are taken to
  // move one each, as many at a time as a warp has, or the group.
  void copied(const oclgrind::Memory *memory, size_t address, size_t size, bool writes) {
    const unsigned space = memory->getAddressSpace();
    const size_t buffer = memory->extractBuffer(address);
    Site &site = siteOf(Key{nullptr, space, buffer, writes}, nullptr, memory);
    for (size_t done = 0; done < size; done += WIDEST) {
      site.copying.push_back({unsigned(site.copying.size()), 0, address + done, std::min(WIDEST, size - done)});
      if (site.copying.size() == std::min<size_t>(WARP, groupSize))
        site.countCopy();
    }
  }

  void write(llvm::json::OStream &out) const {
    std::map<std::tuple<unsigned, unsigned, unsigned, bool, std::string, unsigned>, const Site *> ordered;
    for (auto &entry : sites) {
      const Site &site = entry.second;
      if (site.requests)
        ordered[{site.spot.line, site.spot.column, site.space, site.writes, site.array, site.number}] = &site;
    }
    for (auto &entry : ordered)
      out.object([&] { entry.second->write(out); });
  }

private:
  using Key = std::tuple<const llvm::Instruction *, unsigned, size_t, bool>;

  const Arrays &arrays;
  Calls calls;
  std::map<Key, Site> sites;
  std::vector<Kept> kept;                          // by work-item, since the last barrier
  size_t groupSize = 0;

  // The place of an expression, which is described when it is met for the first time.
  Site &siteOf(const Key &key, const llvm::Instruction *instruction, const oclgrind::Memory *memory) {
    const auto [found, isNew] = sites.try_emplace(key);
    Site &site = found->second;
    if (isNew) {
      const auto &[_, space, buffer, writes] = key;
      site.space = space;
      site.writes = writes;
      site.number = unsigned(sites.size());
      site.array = arrays.nameOf(memory->getAddressSpace(), buffer);
      if (instruction) {
        site.spot = spotOf(instruction);
        if (site.array.empty() && pointerOf(instruction))
          site.array = variableOf(pointerOf(instruction));
      }
    }
    return site;
  }

  // After a store of its own, any word may have changed.
  void forget(unsigned number) {
    if (number < kept.size())
      kept[number] = {};
  }

  // Whether a work-item reads what it still has in a register.
  bool isKept(unsigned number, const llvm::Instruction *instruction, const Lane &lane) {
    if (kept.size() < groupSize)
      kept.resize(groupSize);
    return isPlainRead(instruction) && kept[number].has(lane.address, lane.size);
  }

  // Whether a compiler may keep what an instruction reads: no volatile word, nor one of an atomic function.
  static bool isPlainRead(const llvm::Instruction *instruction) {
    if (auto *load = llvm::dyn_cast<llvm::LoadInst>(instruction))
      return !load->isVolatile();
    auto *call = llvm::dyn_cast<llvm::CallInst>(instruction);
    const llvm::Function *function = call ? call->getCalledFunction() : nullptr;
    return function && function->isDeclaration() && function->getName().contains("vload");
  }
};

}  // namespace
