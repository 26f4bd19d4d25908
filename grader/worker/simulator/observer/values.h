// The values of a work-item that are made of something that was never set.

#pragma once

#include "marks.h"
#include "oclgrind.h"
#include "source.h"

#include <llvm/IR/Function.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace {

// The vector of which a component is changed; between a change and its load or store, three components are made four.
const llvm::Value *changedOf(const llvm::Value *value) {
  bool changed = false;
  for (;;)
    if (auto *shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(value)) {
      value = shuffle->getOperand(0);
    } else if (auto *insert = llvm::dyn_cast<llvm::InsertElementInst>(value)) {
      value = insert->getOperand(0);
      changed = true;
    } else {
      return changed ? value : nullptr;
    }
}

// A function of the student's that an instruction calls.
const llvm::Function *calledBy(const llvm::Instruction *instruction) {
  auto *call = llvm::dyn_cast<llvm::CallInst>(instruction);
  const llvm::Function *function = call ? call->getCalledFunction() : nullptr;
  return function && !function->isDeclaration() ? function : nullptr;
}

class Values {
public:
  // The mark of the first element that was never set; 0 if all of it is in order.
  Mark first(const llvm::Value *value) const {
    auto found = values.find(value);
    return found == values.end() ? 0 : firstOf(found->second);
  }

  // The marks of what the current instruction writes, which may have read something itself.
  Marks stored(const oclgrind::WorkItem *item, size_t size, const Marks &loaded) const {
    const llvm::Instruction *instruction = item->getCurrentInstruction();
    Marks marks(1, FINE);
    if (auto *store = llvm::dyn_cast<llvm::StoreInst>(instruction)) {
      auto found = values.find(store->getValueOperand());
      if (found != values.end())
        marks = found->second;
      if (const llvm::Value *whole = changedOf(store->getValueOperand()))
        if (auto *load = llvm::dyn_cast<llvm::LoadInst>(whole))
          if (load->getPointerOperand() == store->getPointerOperand())
            for (Mark &each : marks)
              if (!isSet(each))
                each = NEVER;                      // one component was set; of the others nobody has made use yet
    } else if (llvm::isa<llvm::MemTransferInst>(instruction) && loaded.size() == size) {
      marks = loaded;
    } else if (auto *call = llvm::dyn_cast<llvm::CallInst>(instruction)) {
      for (const llvm::Use &operand : call->args()) {
        const llvm::Value *value = operand.get();
        const Mark origin = isOneChannel(item, call, value) ? at(value, 0) : first(value);
        if (!isSet(origin))
          marks.assign(1, origin);
      }
      if (marks[0] == FINE && !areSet(loaded))     // by an atomic function
        marks.assign(1, firstOf(loaded));
    }
    return marks;
  }

  // Whether a value is the colour for an image with one channel, which takes only the first number of it.
  static bool isOneChannel(const oclgrind::WorkItem *item, const llvm::CallInst *call, const llvm::Value *value) {
    if (!pixelCall(call) || value != call->getArgOperand(call->arg_size() - 1))
      return false;
    return imageOf(item->getOperand(call->getArgOperand(0)))->format.image_channel_order == CL_R;
  }

  // A value gets the marks of those that it is made of, or of the bytes that were loaded.
  void executed(const oclgrind::WorkItem *item, const llvm::Instruction *instruction, const Marks &loaded) {
    if (auto *end = llvm::dyn_cast<llvm::ReturnInst>(instruction))
      if (item->getState() != oclgrind::WorkItem::FINISHED)
        returns(end);
    if (!values.empty() || !areSet(loaded)) {
      const Marks marks = made(item, instruction, loaded);
      if (areSet(marks) || instruction->getType()->isVoidTy())
        values.erase(instruction);
      else
        values[instruction] = marks;
    }
    if (calledBy(instruction))
      calls.push_back(llvm::cast<llvm::CallInst>(instruction));
  }

private:
  std::unordered_map<const llvm::Value *, Marks> values;  // only those that are not in order
  std::vector<const llvm::CallInst *> calls;              // of functions that the work-item is in

  Mark at(const llvm::Value *value, size_t index) const {
    auto found = values.find(value);
    return found == values.end() || index >= found->second.size() ? FINE : found->second[index];
  }

  void copy(const llvm::Value *from, const llvm::Value *to) {
    auto found = values.find(from);
    if (found == values.end())
      values.erase(to);
    else
      values[to] = Marks(found->second);
  }

  // What a function of the student's returns is the value of its call.
  void returns(const llvm::ReturnInst *end) {
    if (calls.empty())
      return;
    copy(end->getReturnValue(), calls.back());
    calls.pop_back();
  }

  Marks made(const oclgrind::WorkItem *item, const llvm::Instruction *instruction, const Marks &loaded) {
    Marks marks(elementsOf(instruction), FINE);
    auto take = [&](const llvm::Value *value) {
      auto found = values.find(value);
      if (found == values.end())
        return;
      for (size_t i = 0; i < marks.size(); i++) {
        const Mark each = found->second.size() == marks.size() ? found->second[i] : firstOf(found->second);
        if (marks[i] == FINE && !isSet(each))
          marks[i] = each;
      }
    };
    if (llvm::isa<llvm::LoadInst>(instruction)) {
      for (size_t i = 0; i < marks.size(); i++)
        for (size_t byte = i * loaded.size() / marks.size(); byte < (i + 1) * loaded.size() / marks.size(); byte++)
          if (!isSet(loaded[byte]))
            marks[i] = loaded[byte];
    } else if (auto *insert = llvm::dyn_cast<llvm::InsertElementInst>(instruction)) {
      take(insert->getOperand(0));
      const size_t index = item->getOperand(insert->getOperand(2)).getUInt();
      if (index < marks.size())
        marks[index] = std::max<Mark>(FINE, first(insert->getOperand(1)));
    } else if (auto *extract = llvm::dyn_cast<llvm::ExtractElementInst>(instruction)) {
      marks[0] = at(extract->getVectorOperand(), item->getOperand(extract->getIndexOperand()).getUInt());
    } else if (auto *shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(instruction)) {
      const unsigned length = elementsOf(shuffle->getOperand(0));
      for (size_t i = 0; i < marks.size(); i++) {
        const int from = shuffle->getMaskValue(unsigned(i));
        if (from >= 0)
          marks[i] = unsigned(from) < length ? at(shuffle->getOperand(0), from)
                                             : at(shuffle->getOperand(1), from - length);
      }
    } else if (auto *phi = llvm::dyn_cast<llvm::PHINode>(instruction)) {
      take(phi->getIncomingValueForBlock(item->getPreviousBlock()));
    } else if (auto *select = llvm::dyn_cast<llvm::SelectInst>(instruction)) {
      take(select->getCondition());
      const bool both = elementsOf(select->getCondition()) > 1;
      const bool yes = both || item->getOperand(select->getCondition()).getUInt();
      if (yes)
        take(select->getTrueValue());
      if (both || !yes)
        take(select->getFalseValue());
    } else if (const llvm::Function *function = calledBy(instruction)) {  // its parameters; its value comes with its end
      auto *call = llvm::cast<llvm::CallInst>(instruction);
      for (unsigned i = 0; i < call->arg_size(); i++)
        copy(call->getArgOperand(i), function->getArg(i));
    } else if (auto *call = llvm::dyn_cast<llvm::CallInst>(instruction)) {
      for (const llvm::Use &operand : call->args())
        take(operand.get());
      for (Mark each : loaded)
        if (!isSet(each))
          std::fill(marks.begin(), marks.end(), each);
    } else {
      for (const llvm::Use &operand : instruction->operands())
        take(operand.get());
    }
    return marks;
  }
};

}  // namespace
