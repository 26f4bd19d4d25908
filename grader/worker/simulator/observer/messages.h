// What Oclgrind reports (races, invalid accesses, barriers), once per kind and lines, with the arrays that it is about.
//
// Messages are pardoned here, before any is left out for being one too many; and each kind has a quota of its own. So
// messages that count for nothing push out no other, nor do those of one kind push out another kind.

#pragma once

#include "barriers.h"
#include "oclgrind.h"
#include "quotes.h"
#include "source.h"
#include "swaps.h"

#include <llvm/IR/Module.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace {

constexpr unsigned QUOTA = 25;                     // different messages of a kind; there are some twenty kinds

// How a message begins: what was done wrong.
std::string kindOf(const std::string &message) {
  return message.substr(0, message.find_first_of("0123456789(\n"));
}

// The kind of a message and the places that it names, in any order: what makes two messages the same finding. Where a
// function hides its lines, the instruction is named.
std::string essenceOf(const std::string &kind, const std::vector<Quote> &quotes) {
  std::set<std::string> places;
  for (const Quote &quote : quotes)
    places.insert(quote.spot().line ? quote.place : quote.code);
  std::string key = kind;
  for (const std::string &place : places)
    key += '\n' + place;
  return key;
}

class Messages {
public:
  void kernelBegins(const oclgrind::Kernel *kernel) {
    const llvm::Module *kernels = kernel->getFunction()->getParent();
    source = kernel->getProgram();
    instructions.kernelBegins(kernels);
    swaps.kernelBegins(kernels);
    stores.clear();
    messages.clear();
    order.clear();
    numbers.clear();
    deeds.clear();
    lines.clear();
  }

  void groupBegins() {
    endings.clear();
    barriers.left();
    swaps.groupBegins();
  }

  void groupEnds() {
    lines.clear();
    swaps.ordered(oclgrind::AddrSpaceLocal);
    swaps.ordered(oclgrind::AddrSpaceGlobal);
  }

  void barrier(uint32_t fences) {
    barriers.left();
    if (fences & CLK_LOCAL_MEM_FENCE)
      swaps.ordered(oclgrind::AddrSpaceLocal);
    if (fences & CLK_GLOBAL_MEM_FENCE)
      swaps.ordered(oclgrind::AddrSpaceGlobal);
  }

  void executed(const oclgrind::WorkItem *item, const llvm::Instruction *instruction) {
    unsigned &line = lines[item];
    if (item->getState() == oclgrind::WorkItem::FINISHED)
      endings[line]++;
    if (const unsigned now = spotOf(instruction).line)
      line = now;
    if (const std::string said = barriers.executed(item, instruction); !said.empty())
      log(said.c_str());
    swaps.executed(item, instruction);
  }

  void load(const oclgrind::Memory *memory, const oclgrind::WorkItem *item, size_t address, size_t size) {
    swaps.load(memory, item, address, size);
  }

  void swapped(const oclgrind::Memory *memory, const oclgrind::WorkItem *item, size_t address, size_t size) {
    swaps.swapped(memory, item, address, size);
  }

  void store(const oclgrind::Memory *memory, const oclgrind::WorkItem *item, size_t address, size_t size) {
    if (memory->getAddressSpace() != oclgrind::AddrSpacePrivate)
      stores.insert(item->getCurrentInstruction());
    swaps.store(memory, item, address, size);
  }

  void log(const char *text) {
    const std::string said = judged(text);
    if (said.empty())
      return;
    const std::string kind = kindOf(said);
    const std::vector<Quote> quotes = quotesOf(said);
    const std::string key = essenceOf(kind, quotes);
    if (!messages.count(key)) {
      if (numbers[kind]++ >= QUOTA)
        return;
      messages[key] = {said, used(quotes), writesOf(quotes), 0, endings};
      order.push_back(key);
    }
    messages[key].times++;
  }

  void write(llvm::json::OStream &out) const {
    for (auto &key : order)
      out.object([&, &message = messages.at(key)] {
        out.attribute("text", text(message.said));
        out.attribute("array", text(message.array));
        out.attribute("times", message.times);
        out.attributeArray("writes", [&] {
          for (const bool writes : message.writes)
            out.value(writes);
        });
        out.attributeArray("endings", [&] {
          for (auto &ending : message.endings)
            out.value(llvm::json::Array{ending.first, ending.second});
        });
      });
  }

private:
  struct Deed {
    bool swaps = false, writes = false;
  };

  struct Message {
    std::string said, array;
    std::vector<bool> writes;                      // whether each instruction that it quotes writes
    uint64_t times;
    std::map<unsigned, unsigned> endings;          // for barriers: the lines at which work-items had ended
  };

  Barriers barriers;
  Instructions instructions;
  Swaps swaps;
  std::unordered_set<const llvm::Instruction *> stores;  // that have written global or local memory
  std::map<std::string, Message> messages;
  std::vector<std::string> order;                  // of messages, as they came
  std::map<std::string, unsigned> numbers;         // of messages, by kind
  std::map<std::string, Deed> deeds;               // of what messages quote
  const oclgrind::Program *source = nullptr;
  std::unordered_map<const oclgrind::WorkItem *, unsigned> lines;  // that each work-item was at last
  std::map<unsigned, unsigned> endings;            // of this group's work-items, by line

  // A race between a compare-and-swap and a read is none if the work-item has read the word for swaps of its own only.
  // Oclgrind names its first read; what is wrong may be a later one.
  std::string judged(const std::string &said) {
    const std::vector<Quote> quotes = quotesOf(said);
    const std::optional<Race> race = raceOf(said);
    if (!race || quotes.size() != 2)
      return said;
    for (size_t reader = 0; reader < 2; reader++) {
      const Deed &read = deedOf(quotes[reader]), &swap = deedOf(quotes[1 - reader]);
      if (!swap.swaps || read.writes)
        continue;
      const bool ever = race->groups[0] != race->groups[1];
      const auto reads = swaps.readsOf(race->space, race->address, race->items[reader], ever);
      const auto stray = std::find_if(reads.begin(), reads.end(), [](const auto &each) { return !each.isForSwap; });
      if (!reads.empty())
        return stray == reads.end() ? "" : requoted(said, reader, stray->read, source);
    }
    return said;
  }

  // What all instructions that a quote fits have done.
  const Deed &deedOf(const Quote &quote) {
    const auto [found, isNew] = deeds.insert({quote.code + quote.place, {}});
    if (isNew) {
      const auto quoted = instructions.of(quote);
      found->second.swaps = !quoted.empty() && std::all_of(quoted.begin(), quoted.end(), [&](const auto *each) {
        return swaps.have(each);
      });
      found->second.writes = quoted.empty() || std::any_of(quoted.begin(), quoted.end(), [&](const auto *each) {
        return stores.count(each) > 0;
      });
    }
    return found->second;
  }

  std::vector<bool> writesOf(const std::vector<Quote> &quotes) {
    std::vector<bool> found;
    for (const Quote &quote : quotes) {
      const auto quoted = instructions.of(quote);
      found.push_back(std::any_of(quoted.begin(), quoted.end(),
                                  [&](const llvm::Instruction *each) { return stores.count(each) > 0; }));
    }
    return found;
  }

  // The variable that the first place of a message uses, as far as what is there tells.
  std::string used(const std::vector<Quote> &quotes) {
    if (quotes.empty() || !quotes[0].spot().line)
      return "";
    for (const llvm::Instruction *instruction : instructions.at(quotes[0].spot())) {
      const llvm::Value *pointer = pointerOf(instruction);
      if (pointer && (llvm::isa<llvm::GEPOperator>(pointer) || llvm::isa<llvm::CallInst>(instruction)))
        return variableOf(pointer);
    }
    return "";
  }
};

}  // namespace
