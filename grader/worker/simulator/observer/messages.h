// What Oclgrind reports (races, invalid accesses, barriers), once per kind and lines, with the arrays that it is about.
//
// Messages are pardoned here, before any is left out for being one too many; and each kind has a quota of its own. So
// messages that count for nothing push out no other, nor do those of one kind push out another kind.

#pragma once

#include "oclgrind.h"
#include "quotes.h"
#include "source.h"
#include "swaps.h"

#include <llvm/IR/Module.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
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
  void kernelBegins(const llvm::Module *kernels) {
    instructions.kernelBegins(kernels);
    swaps.kernelBegins();
    stores.clear();
    messages.clear();
    order.clear();
    numbers.clear();
    pardons.clear();
    lines.clear();
  }

  void groupBegins() { endings.clear(); }

  void groupEnds() { lines.clear(); }

  void executed(const oclgrind::WorkItem *item, const llvm::Instruction *instruction) {
    unsigned &line = lines[item];
    if (item->getState() == oclgrind::WorkItem::FINISHED)
      endings[line]++;
    if (const unsigned now = spotOf(instruction).line)
      line = now;
  }

  void swapped(const llvm::Instruction *instruction) { swaps.swapped(instruction); }

  void stored(const llvm::Instruction *instruction) { stores.insert(instruction); }

  void log(const char *said) {
    const std::string kind = kindOf(said);
    const std::vector<Quote> quotes = quotesOf(said);
    if (isPardoned(kind, quotes))
      return;
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
  struct Message {
    std::string said, array;
    std::vector<bool> writes;                      // whether each instruction that it quotes writes
    uint64_t times;
    std::map<unsigned, unsigned> endings;          // for barriers: the lines at which work-items had ended
  };

  Instructions instructions;
  Swaps swaps;
  std::unordered_set<const llvm::Instruction *> stores;  // that have written global or local memory
  std::map<std::string, Message> messages;
  std::vector<std::string> order;                  // of messages, as they came
  std::map<std::string, unsigned> numbers;         // of messages, by kind
  std::map<std::pair<std::string, std::string>, bool> pardons;  // whether a race of two instructions is pardoned
  std::unordered_map<const oclgrind::WorkItem *, unsigned> lines;  // that each work-item was at last
  std::map<unsigned, unsigned> endings;            // of this group's work-items, by line

  // Whether it is a race between a compare-and-swap and the read that it compares with.
  bool isPardoned(const std::string &kind, const std::vector<Quote> &quotes) {
    if (kind.rfind("Read-write data race", 0) != 0 || quotes.size() != 2)
      return false;
    const Quote &one = quotes[0], &other = quotes[1];
    const auto met = pardons.insert({{one.code + one.place, other.code + other.place}, false});
    if (met.second)
      met.first->second = isSwap(one, other) || isSwap(other, one);
    return met.first->second;
  }

  // Whether all instructions that the quotes fit are such a pair.
  bool isSwap(const Quote &swap, const Quote &read) {
    const auto mine = instructions.of(swap), others = instructions.of(read);
    return !mine.empty() && !others.empty() &&
           std::all_of(mine.begin(), mine.end(), [&](const llvm::Instruction *one) {
             return std::all_of(others.begin(), others.end(),
                                [&](const llvm::Instruction *other) { return swaps.compares(one, other); });
           });
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
