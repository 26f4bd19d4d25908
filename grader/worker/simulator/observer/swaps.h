// Loops of compare-and-swap: a word is read, and swapped only if it is still what was read.
//
// OpenCL C 1.2 has no other read for that than a plain one. It is a race with the swaps of others, and does no harm.

#pragma once

#include "source.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IntrinsicInst.h>

#include <set>
#include <vector>

namespace {

// The value with which a compare-and-swap compares; Oclgrind has seen that the instruction is one.
const llvm::Value *expectedBy(const llvm::Instruction *swap) {
  if (auto *instruction = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(swap))
    return instruction->getCompareOperand();
  auto *call = llvm::dyn_cast<llvm::CallInst>(swap);  // of atomic_cmpxchg(word, expected, desired)
  return call && call->arg_size() == 3 ? call->getArgOperand(1) : nullptr;
}

// The variable in private memory that a pointer is into; null if it is none.
const llvm::AllocaInst *variableAt(const llvm::Value *pointer) {
  while (llvm::isa<llvm::BitCastOperator>(pointer) || llvm::isa<llvm::GEPOperator>(pointer))
    pointer = llvm::cast<llvm::Operator>(pointer)->getOperand(0);
  return llvm::dyn_cast<llvm::AllocaInst>(pointer);
}

// Where a value may come from: back through variables and calls, to what was read from other memory.
class Sources {
public:
  explicit Sources(const llvm::Value *value) {
    add(value);
    while (!open.empty()) {
      const llvm::Value *next = open.back();
      open.pop_back();
      follow(next);
    }
  }

  bool have(const llvm::Instruction *read) const { return known.count(read); }

private:
  std::set<const llvm::Value *> known;
  std::vector<const llvm::Value *> open;

  void add(const llvm::Value *value) {
    if (!llvm::isa<llvm::Constant>(value) && known.insert(value).second)
      open.push_back(value);
  }

  void follow(const llvm::Value *value) {
    if (auto *load = llvm::dyn_cast<llvm::LoadInst>(value)) {
      if (const llvm::AllocaInst *variable = variableAt(load->getPointerOperand()))
        add(variable);
    } else if (auto *variable = llvm::dyn_cast<llvm::AllocaInst>(value)) {
      stored(variable, variable);
    } else if (auto *parameter = llvm::dyn_cast<llvm::Argument>(value)) {
      for (const llvm::User *user : parameter->getParent()->users())
        if (auto *call = llvm::dyn_cast<llvm::CallInst>(user))
          if (call->getCalledFunction() == parameter->getParent())
            add(call->getArgOperand(parameter->getArgNo()));
    } else if (auto *call = llvm::dyn_cast<llvm::CallInst>(value)) {
      called(call);
    } else if (auto *instruction = llvm::dyn_cast<llvm::Instruction>(value)) {
      for (const llvm::Use &operand : instruction->operands())
        add(operand.get());
    }
  }

  // What is stored in a variable, or in a part of it.
  void stored(const llvm::AllocaInst *variable, const llvm::Value *pointer) {
    for (const llvm::User *user : pointer->users()) {
      if (auto *store = llvm::dyn_cast<llvm::StoreInst>(user)) {
        if (store->getPointerOperand() == pointer)
          add(store->getValueOperand());
      } else if (auto *copy = llvm::dyn_cast<llvm::MemTransferInst>(user)) {
        const llvm::AllocaInst *other = variableAt(copy->getRawSource());
        if (other && other != variable)
          add(other);
      } else if (llvm::isa<llvm::BitCastOperator>(user) || llvm::isa<llvm::GEPOperator>(user)) {
        stored(variable, user);
      }
    }
  }

  // What a function of the student's returns, or what a built-in one, such as a conversion, is given.
  void called(const llvm::CallInst *call) {
    const llvm::Function *function = call->getCalledFunction();
    if (!function || function->isDeclaration()) {
      for (const llvm::Use &operand : call->args())
        if (!operand->getType()->isPointerTy())
          add(operand.get());
      return;
    }
    for (const llvm::BasicBlock &block : *function)
      if (auto *end = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator()))
        if (end->getReturnValue())
          add(end->getReturnValue());
  }
};

class Swaps {
public:
  void kernelBegins() { swaps.clear(); }

  void swapped(const llvm::Instruction *instruction) { swaps.insert(instruction); }

  // Whether a plain read is the one that a compare-and-swap compares with.
  bool compares(const llvm::Instruction *swap, const llvm::Instruction *read) const {
    const llvm::Value *expected = swaps.count(swap) ? expectedBy(swap) : nullptr;
    return expected && llvm::isa<llvm::LoadInst>(read) && Sources(expected).have(read);
  }

private:
  std::set<const llvm::Instruction *> swaps;       // that the kernel has executed
};

}  // namespace
