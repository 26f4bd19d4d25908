// Accesses, per expression of the source: requests of warps, sectors moved, turns of the banks of local memory.
//
// The work-items of a warp are taken to run in step: the n-th time that each of them executes an expression since the
// last barrier is one request. Oclgrind runs work-items one after the other, so requests are put together between two
// barriers.

#pragma once

#include "arrays.h"
#include "device.h"
#include "source.h"

#include <llvm/Support/Format.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace {

// One execution of an expression by a warp.
struct Request {
  std::vector<std::pair<unsigned, size_t>> lanes;  // which, and its address
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

struct Site {
  Spot spot;
  std::string array;
  unsigned space = 0, size = 0, number = 0;        // which one it is, in the order in which they were met
  bool writes = false;
  std::vector<std::vector<Request>> pending;       // by warp, since the last barrier
  std::vector<unsigned> executions;                // by work-item, since the last barrier
  uint64_t requests = 0, bytes = 0, moved = 0, fewest = 0;
  double worst = 0;
  std::map<int64_t, uint64_t> strides;

  void count(const Request &request) {
    std::set<size_t> addresses;
    std::set<size_t> units;                        // sectors, or words of banks
    std::map<size_t, unsigned> banks;
    const unsigned width = space == oclgrind::AddrSpaceLocal ? BANK : SECTOR;
    for (size_t i = 0; i < request.lanes.size(); i++) {
      const size_t address = request.lanes[i].second;
      addresses.insert(address);
      for (size_t unit = address / width; unit <= (address + size - 1) / width; unit++)
        if (units.insert(unit).second)
          banks[unit % BANKS]++;
      if (i > 0 && request.lanes[i].first == request.lanes[i - 1].first + 1)
        strides[int64_t(address) - int64_t(request.lanes[i - 1].second)]++;
    }
    uint64_t turns = units.size(), least = (addresses.size() * size + width - 1) / width;
    if (space == oclgrind::AddrSpaceLocal) {
      turns = 0;
      for (auto &bank : banks)
        turns = std::max<uint64_t>(turns, bank.second);
      least = (units.size() + BANKS - 1) / BANKS;
    }
    requests++;
    bytes += request.lanes.size() * size;
    moved += turns;
    fewest += least;
    worst = std::max(worst, double(turns) / double(least));
  }

  void flush() {
    for (auto &warp : pending) {
      for (auto &request : warp)
        if (!request.lanes.empty())
          count(request);
      warp.clear();
    }
    std::fill(executions.begin(), executions.end(), 0);
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
    out.attribute("bytes", bytes);
    out.attribute("sectors", moved);
    out.attribute("fewest", fewest);
    out.attributeBegin("worst");
    out.rawValue([&](llvm::raw_ostream &raw) { raw << llvm::format("%g", worst); });
    out.attributeEnd();
    out.attribute("stride", stride());
  }
};

class Accesses {
public:
  explicit Accesses(const Arrays &arrays) : arrays(arrays) {}

  void kernelBegins() { sites.clear(); }

  void groupBegins(const oclgrind::WorkGroup *group) {
    groupSize = sizeOf(group);
    kept.assign(groupSize, {});
    for (auto &site : sites)
      site.second.executions.assign(groupSize, 0);
  }

  void barrier() {
    kept.assign(groupSize, {});
    for (auto &site : sites)
      site.second.flush();
  }

  void access(const oclgrind::Memory *memory, const oclgrind::WorkItem *item, size_t address, size_t size,
              bool writes) {
    if (memory->getAddressSpace() == oclgrind::AddrSpacePrivate)
      return;
    const llvm::Instruction *instruction = item->getCurrentInstruction();
    const size_t buffer = memory->extractBuffer(address);
    const bool global = arrays.isGlobal(memory->getAddressSpace(), buffer);
    const unsigned space = global ? memory->getAddressSpace() : spaceOf(memory, instruction, writes);
    Site &site = sites[Key{instruction, space, buffer, writes}];
    if (site.executions.size() < groupSize)
      site.executions.resize(groupSize, 0);
    if (!site.size) {
      site.spot = spotOf(instruction);
      site.space = space;
      site.size = unsigned(size);
      site.writes = writes;
      site.number = unsigned(sites.size());
      site.array = arrays.nameOf(memory->getAddressSpace(), buffer);
      if (site.array.empty() && pointerOf(instruction))
        site.array = variableOf(pointerOf(instruction));
    }
    const unsigned number = numberOf(item), warp = number / WARP;
    if (site.pending.size() <= warp)
      site.pending.resize(warp + 1);
    const unsigned execution = site.executions[number]++;
    if (space == oclgrind::AddrSpaceGlobal && isKept(number, instruction, address, size, writes))
      return;
    auto &requests = site.pending[warp];
    if (requests.size() <= execution)
      requests.resize(execution + 1);
    requests[execution].lanes.push_back({number % WARP, address});
  }

  // A copy by the whole group (async_work_group_copy) comes word by word; it is taken to be coalesced.
  void copied(const oclgrind::Memory *memory, size_t address, size_t size, bool writes) {
    const unsigned space = memory->getAddressSpace();
    const size_t buffer = memory->extractBuffer(address);
    Site &site = sites[Key{nullptr, space, buffer, writes}];
    if (!site.size)
      site.number = unsigned(sites.size());
    site.space = space;
    site.size = unsigned(size);
    site.writes = writes;
    site.array = arrays.nameOf(space, buffer);
    site.bytes += size;
    site.worst = 1;
    site.strides[int64_t(size)]++;
    const uint64_t unit = space == oclgrind::AddrSpaceLocal ? BANK * BANKS : SECTOR;
    site.requests = (site.bytes + WARP * size - 1) / (WARP * size);
    site.moved = site.fewest = (site.bytes + unit - 1) / unit;
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
  std::map<Key, Site> sites;
  std::vector<Kept> kept;                          // by work-item, since the last barrier
  size_t groupSize = 0;

  // Whether a work-item reads what it still has in a register. Any store of its own may change any word.
  bool isKept(unsigned number, const llvm::Instruction *instruction, size_t address, size_t size, bool writes) {
    if (kept.size() < groupSize)
      kept.resize(groupSize);
    if (writes)
      kept[number] = {};
    auto *load = llvm::dyn_cast<llvm::LoadInst>(instruction);
    return !writes && load && !load->isVolatile() && kept[number].has(address, size);
  }
};

}  // namespace
