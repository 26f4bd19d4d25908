// Uses of what was never set: it reaches global memory, a condition or an address.
//
// Kernels are built without optimisation (-cl-opt-disable), so that every variable is memory whose bytes can be watched.

#pragma once

#include "arrays.h"
#include "marks.h"
#include "oclgrind.h"
#include "source.h"
#include "values.h"

#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace {

llvm::json::Array triple(const oclgrind::Size3 &size) {
  return llvm::json::Array{size.x, size.y, size.z};
}

class Unset {
public:
  explicit Unset(const Arrays &arrays) : arrays(arrays) {}

  // Origins stay: marks of global memory mean them, which another kernel may have left there.
  void kernelBegins() {
    uses.clear();
    items.clear();
  }

  void groupBegins(const oclgrind::WorkGroup *group) { shadow.forget(group->getLocalMemory()); }

  void groupEnds(const oclgrind::WorkGroup *group) {
    shadow.forget(group->getLocalMemory());
    for (auto &item : items)
      shadow.forget(item.first->getPrivateMemory());
    items.clear();
  }

  void allocated(const oclgrind::Memory *memory, size_t address) { shadow.forget(memory, address); }

  // Somebody else than a work-item has written it.
  void set(const oclgrind::Memory *memory, size_t address, size_t size) {
    shadow.write(memory, address, size, Marks(1, FINE));
  }

  void load(const oclgrind::Memory *memory, const oclgrind::WorkItem *item, size_t address, size_t size) {
    loaded.assign(size, FINE);
    if (memory->getAddressSpace() == oclgrind::AddrSpaceConstant || !memory->isAddressValid(address, size))
      return;
    const llvm::Instruction *instruction = item->getCurrentInstruction();
    shadow.read(memory, address, loaded);
    for (Mark &each : loaded)
      if (each == NEVER)
        each = originAt(memory, address, instruction);
    if (const llvm::Value *pointer = llvm::getLoadStorePointerOperand(instruction))
      if (const Mark origin = items[item].first(pointer))
        use(item, origin, instruction, "address", arrays.nameAt(memory, address));
  }

  void store(const oclgrind::Memory *memory, const oclgrind::WorkItem *item, size_t address, size_t size) {
    const llvm::Instruction *instruction = item->getCurrentInstruction();
    const std::string array = arrays.nameAt(memory, address);
    const Values &values = items[item];
    const Marks marks = values.stored(item, size, loaded);
    if (auto *store = llvm::dyn_cast<llvm::StoreInst>(instruction))
      if (const Mark origin = values.first(store->getPointerOperand()))
        use(item, origin, instruction, "address", array);
    const bool copy = llvm::isa<llvm::MemTransferInst>(instruction);
    if (memory->getAddressSpace() == oclgrind::AddrSpaceGlobal)
      for (size_t i = 0; i < marks.size(); i++)
        if (!isSet(marks[i]) && !(copy && isPadded(marks, i))) {
          use(item, marks[i], instruction, "stored", array);
          break;
        }
    shadow.write(memory, address, size, marks);
  }

  // Writes its argument, and nothing of what it has read, as the other atomic functions do.
  void exchange(const oclgrind::Memory *memory, const oclgrind::WorkItem *item, size_t address, size_t size) {
    const Marks old = std::exchange(loaded, {});
    store(memory, item, address, size);
    loaded = old;
  }

  void executed(const oclgrind::WorkItem *item, const llvm::Instruction *instruction) {
    Values &values = items[item];
    if (const llvm::Value *condition = conditionOf(instruction))
      if (const Mark origin = values.first(condition))
        use(item, origin, instruction, "condition", "");
    values.executed(item, instruction, loaded);
    loaded.clear();
  }

  void write(llvm::json::OStream &out) const {
    for (auto &entry : uses)
      out.object([&, &use = entry.first, &seen = entry.second, &origin = origins[entry.first.origin]] {
        out.attribute("line", origin.spot.line);
        out.attribute("column", origin.spot.column);
        out.attribute("name", text(origin.name));
        out.attribute("space", origin.space);
        out.attribute("used_line", use.spot.line);
        out.attribute("how", use.how);
        out.attribute("array", text(use.array));
        out.attribute("global_id", triple(seen.global));
        out.attribute("local_id", triple(seen.local));
        out.attribute("group", triple(seen.group));
        out.attribute("times", seen.times);
      });
  }

private:
  struct Origin {
    Spot spot;
    std::string name;
    unsigned space;
  };

  struct Use {
    Mark origin;
    Spot spot;
    std::string how, array;
    bool operator<(const Use &other) const {
      return std::tie(origin, spot, how, array) < std::tie(other.origin, other.spot, other.how, other.array);
    }
  };

  struct Seen {
    oclgrind::Size3 global, local, group;
    uint64_t times = 0;
  };

  const Arrays &arrays;
  Shadow shadow;
  std::unordered_map<const oclgrind::WorkItem *, Values> items;
  Marks loaded;                                    // the bytes that the current instruction has read
  std::vector<Origin> origins{Origin{}, Origin{}};  // by the marks that mean them
  std::map<std::tuple<unsigned, unsigned, std::string>, Mark> originOf;
  std::map<Use, Seen> uses;

  // The mark of an expression that reads what was never set.
  Mark originAt(const oclgrind::Memory *memory, size_t address, const llvm::Instruction *instruction) {
    const llvm::Value *pointer = llvm::getLoadStorePointerOperand(instruction);
    std::string name = arrays.nameAt(memory, address);
    if (name.empty() && pointer)
      name = variableOf(pointer);
    const Spot spot = spotOf(instruction);
    Mark &origin = originOf[{spot.line, spot.column, name}];
    if (!origin) {
      origin = Mark(origins.size());
      origins.push_back({spot, name, memory->getAddressSpace()});
    }
    return origin;
  }

  void use(const oclgrind::WorkItem *item, Mark origin, const llvm::Instruction *instruction, const char *how,
           const std::string &array) {
    Seen &seen = uses[Use{origin, spotOf(instruction), how, array}];
    if (!seen.times++) {
      seen.global = item->getGlobalID();
      seen.local = item->getLocalID();
      seen.group = item->getWorkGroup()->getGroupID();
    }
  }
};

}  // namespace
