// Floating-point operations. Built-in functions that are made of sums and products count as these. Others, such as sqrt,
// do not count: no sum or product can be written as one of them.

#pragma once

#include "source.h"

#include <llvm/IR/Function.h>

#include <map>
#include <string>

namespace {

// Operations of a built-in function for each component of its first argument; 0 for any other function.
unsigned flopOfEach(llvm::StringRef function) {
  static const std::map<std::string, unsigned> each{
      {"fma", 2},         {"mad", 2},        {"dot", 2},           {"length", 2},      {"fast_length", 2},
      {"distance", 3},    {"cross", 3},      {"fast_distance", 3}, {"normalize", 3},   {"fast_normalize", 3},
      {"hypot", 3},       {"mix", 3},        {"smoothstep", 5},    {"fdim", 1},        {"fmod", 1},
      {"remainder", 1},   {"ldexp", 1},      {"pow", 1},           {"pown", 1},        {"powr", 1},
      {"half_powr", 1},   {"half_recip", 1}, {"half_divide", 1},   {"native_powr", 1}, {"native_recip", 1},
      {"native_divide", 1}};
  const auto found = each.find(builtinOf(function).first.str());
  return found == each.end() ? 0 : found->second;
}

unsigned flopOf(const llvm::Instruction *instruction) {
  switch (instruction->getOpcode()) {
  case llvm::Instruction::FAdd:
  case llvm::Instruction::FSub:
  case llvm::Instruction::FMul:
  case llvm::Instruction::FDiv:
  case llvm::Instruction::FRem:
    return elementsOf(instruction);
  case llvm::Instruction::Call: {
    auto *call = llvm::cast<llvm::CallInst>(instruction);
    const llvm::Function *function = call->getCalledFunction();
    if (!function || !function->isDeclaration() || !instruction->getType()->isFPOrFPVectorTy())
      return 0;
    const llvm::StringRef name = function->getName();
    const bool both = name.startswith("llvm.fmuladd") || name.startswith("llvm.fma");
    return (both ? 2 : flopOfEach(name)) * elementsOf(call->getArgOperand(0));
  }
  default:
    return 0;
  }
}

}  // namespace
