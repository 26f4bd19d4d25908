// Floating-point operations.

#pragma once

#include "source.h"

#include <llvm/IR/Function.h>

namespace {

unsigned flopOf(const llvm::Instruction *instruction) {
  switch (instruction->getOpcode()) {
  case llvm::Instruction::FAdd:
  case llvm::Instruction::FSub:
  case llvm::Instruction::FMul:
  case llvm::Instruction::FDiv:
  case llvm::Instruction::FRem:
    return elementsOf(instruction);
  case llvm::Instruction::Call: {
    const llvm::Function *function = llvm::cast<llvm::CallInst>(instruction)->getCalledFunction();
    const llvm::StringRef name = function ? function->getName() : "";
    const bool both = name.startswith("llvm.fmuladd") || name.startswith("llvm.fma") || name.startswith("_Z3fma") ||
                      name.startswith("_Z3mad");
    return both && instruction->getType()->isFPOrFPVectorTy() ? 2 * elementsOf(instruction) : 0;
  }
  default:
    return 0;
  }
}

}  // namespace
