// A plugin for the OpenCL simulator Oclgrind: what kernels do with memory, and what they do wrong.
//
// After each kernel it appends one line of JSON to the file that GRADER_OBSERVATIONS names. Each header here counts one
// thing of it: messages.h, unset.h, accesses.h, images.h, branches.h, flop.h, work.h, variables.h. order.h says which work-item runs next. This file
// passes on what Oclgrind tells.
//
// Kernels are built without optimisation (-cl-opt-disable), so that what is counted is what the source says.
//
// Not thread-safe, and it says so: Oclgrind then uses one thread, and the same kernel gives the same line every time.

#include "accesses.h"
#include "arrays.h"
#include "branches.h"
#include "elements.h"
#include "flop.h"
#include "images.h"
#include "messages.h"
#include "oclgrind.h"
#include "order.h"
#include "stray.h"
#include "unset.h"
#include "variables.h"
#include "work.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>

using namespace oclgrind;

namespace {

// A launch of more instructions is in a loop without end. One of few work-items is given up sooner, since somebody waits
// for it: at four times what any of 158 launches of model solutions and of the corpus takes, which is 12,500 steps an
// item of 512, 20,600 of 64, and 6.4 million in all.
constexpr uint64_t STEPS = 40'000'000, STEPS_OF_FEW = 6'000'000, STEPS_OF_ITEM = 40'000;
// In a mixed order, results are known to be right: a kernel made of small functions takes six times as long as without.
constexpr uint64_t MIXED = 2;
// Nor does a loop end in which one work-item alone goes wrong twice as often as the largest array of a sanitizer's check
// of the course has elements, which is 9,801: each such message takes as long as hundreds of steps.
constexpr uint64_t MESSAGES_OF_ITEM = 20'000;
// It is broken off at a branch that has a line in the source, which its function may hide: then after so many steps more.
constexpr uint64_t STEPS_OF_LINE = 10'000;
constexpr const char *ENDLESS = "a loop that does not end";

class Observer : public Plugin {
public:
  explicit Observer(const Context *context) : Plugin(context) {}
  bool isThreadSafe() const override { return false; }

  void kernelBegin(const KernelInvocation *invocation) override {
    const Kernel *kernel = invocation->getKernel();
    arrays.kernelBegins(kernel, m_context->getGlobalMemory());
    messages.kernelBegins(kernel);
    unset.kernelBegins();
    accesses.kernelBegins();
    images.kernelBegins();
    work.kernelBegins();
    busiest.kernelBegins();
    variables.kernelBegins();
    branches.kernelBegins();
    order.kernelBegins(invocation);
    flop = steps = overdue = said = 0;
    const Size3 size = invocation->getGlobalSize();
    most = std::min(STEPS, STEPS_OF_FEW + STEPS_OF_ITEM * size.x * size.y * size.z) * (order.isMixed() ? MIXED : 1);
  }

  void kernelEnd(const KernelInvocation *invocation) override {
    barrier();                                     // of a kernel that was broken off
    accesses.kernelEnds(work);
    images.kernelEnds(work);
    if (const char *path = std::getenv("GRADER_OBSERVATIONS"))
      std::ofstream(path, std::ios::app) << written(invocation->getKernel()->getName()) << '\n';
  }

  void workGroupBegin(const WorkGroup *group) override {
    arrays.groupBegins(group);
    messages.groupBegins();
    unset.groupBegins(group);
    accesses.groupBegins(group);
    work.groupBegins(group);
    busiest.groupBegins(group);
    branches.groupBegins(group);
    order.released(group);
  }

  void workGroupBarrier(const WorkGroup *group, uint32_t fences) override {
    messages.barrier(fences);
    barrier();
    order.released(group);
  }

  void workGroupComplete(const WorkGroup *group) override {
    barrier();
    accesses.groupEnds(work);
    images.groupEnds(work);
    work.group.ends();
    messages.groupEnds();
    unset.groupEnds(group);
  }

  void instructionExecuted(const WorkItem *item, const llvm::Instruction *instruction, const TypedValue &result) override {
    if (item != running) {
      running = item;
      said = 0;
    }
    const bool endless = ++steps > most || said > MESSAGES_OF_ITEM;
    if (endless && (overdue++ > STEPS_OF_LINE || (llvm::isa<llvm::BranchInst>(instruction) && spotOf(instruction).line)))
      throw FatalError(ENDLESS, __FILE__, __LINE__);  // ends the kernel, and Oclgrind says where
    if (const unsigned operations = flopOf(instruction)) {
      flop += operations;
      work.does(item, operations);
    }
    branches.executed(item, instruction);
    variables.executed(item, instruction);
    messages.executed(item, instruction);
    if (const std::string outside = images.executed(item, instruction); !outside.empty())
      log(oclgrind::ERROR, outside.c_str());
    if (const std::string beyond = Elements::executed(item, instruction, result); !beyond.empty())
      log(oclgrind::ERROR, beyond.c_str());
    unset.executed(item, instruction);
    order.executed(item);
    stray.read(result.data, result.size * result.num);
  }

  void log(MessageType, const char *message) override {
    messages.log(message);
    said++;
  }

  void memoryAllocated(const Memory *memory, size_t address, size_t size, cl_mem_flags, const uint8_t *data) override {
    unset.allocated(memory, address);
    if (data)
      unset.set(memory, address, size);
  }
  void memoryMap(const Memory *memory, size_t address, size_t offset, size_t size, cl_map_flags) override {
    unset.set(memory, address + offset, size);
  }
  void hostMemoryStore(const Memory *memory, size_t address, size_t size, const uint8_t *) override {
    unset.set(memory, address, size);
  }
  void memoryLoad(const Memory *memory, const WorkItem *item, size_t address, size_t size) override {
    messages.load(memory, item, address, size);
    if (memory->getAddressSpace() != AddrSpacePrivate)
      order.uses();
    load(memory, item, address, size);
  }
  void memoryStore(const Memory *memory, const WorkItem *item, size_t address, size_t size,
                   const uint8_t *data) override {
    stray.read(data, size);
    store(memory, item, address, size);
    unset.store(memory, item, address, size);
  }
  void memoryAtomicLoad(const Memory *memory, const WorkItem *item, AtomicOp does, size_t address, size_t size) override {
    if (does == AtomicCmpXchg) {
      messages.swapped(memory, item, address, size);
      order.compares();
    }
    load(memory, item, address, size);
  }
  void memoryAtomicStore(const Memory *memory, const WorkItem *item, AtomicOp does, size_t address, size_t size) override {
    does == AtomicCmpXchg ? order.swaps() : order.mayChange(memory, address, size);
    store(memory, item, address, size);
    if (does == AtomicXchg)
      unset.exchange(memory, item, address, size);
    else
      unset.store(memory, item, address, size);
  }
  void memoryLoad(const Memory *memory, const WorkGroup *, size_t address, size_t size) override {
    stray.load(memory, address, size);
    accesses.copied(memory, address, size, false);
  }
  void memoryStore(const Memory *memory, const WorkGroup *, size_t address, size_t size, const uint8_t *data) override {
    stray.read(data, size);
    arrays.store(memory, address);
    accesses.copied(memory, address, size, true);
    unset.set(memory, address, size);
  }

private:
  Arrays arrays;
  Messages messages;
  Unset unset{arrays};
  Accesses accesses{arrays};
  Images images;
  Branches branches;
  Work work;
  Busiest busiest;
  Variables variables;
  Order order;
  Stray stray;
  uint64_t flop = 0, steps = 0, most = STEPS;      // steps: instructions executed, and how many may be
  uint64_t overdue = 0;                            // since the loop was taken for one without end
  const WorkItem *running = nullptr;
  uint64_t said = 0;                               // messages since it runs

  void load(const Memory *memory, const WorkItem *item, size_t address, size_t size) {
    stray.load(memory, address, size);
    access(memory, item, address, size, false);
    unset.load(memory, item, address, size);
  }

  void store(const Memory *memory, const WorkItem *item, size_t address, size_t size) {
    messages.store(memory, item, address, size);
    arrays.store(memory, address);
    access(memory, item, address, size, true);
  }

  void access(const Memory *memory, const WorkItem *item, size_t address, size_t size, bool writes) {
    if (memory->getAddressSpace() != AddrSpacePrivate) {
      const unsigned words = unsigned((size + BANK - 1) / BANK);
      work.does(item, words);
      busiest.moves(item, words);
    }
    if (!pixelCall(item->getCurrentInstruction()))
      accesses.access(memory, item, address, size, writes);
  }

  void barrier() {
    accesses.barrier(work);
    branches.barrier();
    images.barrier(work);
    work.barrier();
  }

  std::string written(const std::string &kernel) const {
    std::string line;
    llvm::raw_string_ostream stream(line);
    llvm::json::OStream out(stream);
    out.object([&] {
      out.attribute("kernel", text(kernel));
      out.attribute("flop", flop);
      out.attribute("steps", steps);
      out.attribute("busiest", busiest.moved());
      out.attribute("private", variables.bytes());
      out.attributeArray("arrays", [&] { arrays.write(out); });
      out.attributeArray("messages", [&] { messages.write(out); });
      out.attributeArray("unset", [&] { unset.write(out); });
      out.attributeArray("accesses", [&] { accesses.write(out); });
      out.attributeArray("images", [&] { images.write(out); });
      out.attributeArray("branches", [&] { branches.write(out); });
    });
    return stream.str();
  }
};

Observer *observer = nullptr;

}  // namespace

extern "C" {
extern const char grader_observer_source[];
const char grader_observer_source[] = SOURCE;      // tells one that was built from another version
void initializePlugins(Context *context) {
  observer = new Observer(context);
  context->registerPlugin(observer);
}
void releasePlugins(Context *context) {
  context->unregisterPlugin(observer);
  delete observer;
}
}
