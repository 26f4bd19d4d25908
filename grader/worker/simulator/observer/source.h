// What an instruction is in the source: its line and column, the variable and the memory that it uses.

#pragma once

#include "oclgrind.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DebugLoc.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>
#include <llvm/Support/JSON.h>

#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace {

struct Spot {
  unsigned line = 0, column = 0;
  bool operator<(const Spot &other) const { return std::tie(line, column) < std::tie(other.line, other.column); }
};

Spot spotOf(const llvm::Instruction *instruction) {
  const llvm::DebugLoc &location = instruction->getDebugLoc();
  return location ? Spot{location.getLine(), location.getCol()} : Spot{};
}

// The variable that a pointer was made from: at -O0 a parameter p is kept in an alloca called p.addr.
std::string variableOf(const llvm::Value *pointer) {
  for (int depth = 0; depth < 64; depth++) {
    if (auto *cast = llvm::dyn_cast<llvm::BitCastOperator>(pointer))
      pointer = cast->getOperand(0);
    else if (auto *element = llvm::dyn_cast<llvm::GEPOperator>(pointer))
      pointer = element->getPointerOperand();
    else if (auto *load = llvm::dyn_cast<llvm::LoadInst>(pointer))
      pointer = load->getPointerOperand();
    else
      break;
  }
  std::string name = pointer->getName().str();
  if (name.size() > 5 && name.compare(name.size() - 5, 5, ".addr") == 0)
    name.resize(name.size() - 5);
  return llvm::isa<llvm::GlobalVariable>(pointer) ? name.substr(name.rfind('.') + 1) : name;
}

// The name of a built-in function without its mangling; the rest of the name describes the parameters. A function of the
// submission that has no body may have the plain name, and the simulator then calls the built-in function, too.
std::pair<llvm::StringRef, llvm::StringRef> builtinOf(llvm::StringRef name) {
  llvm::StringRef mangled = name;
  unsigned length = 0;
  if (!mangled.consume_front("_Z") || mangled.consumeInteger(10, length))
    return {name, ""};
  return {mangled.substr(0, length), mangled.substr(length)};
}

// True if a mangled parameter is an image, such as 14ocl_image2d_ro.
bool isImage(llvm::StringRef parameters) {
  unsigned length = 0;
  return !parameters.consumeInteger(10, length) && parameters.startswith("ocl_image");
}

// Returns the call if an instruction calls a built-in function that reads or writes a pixel of an image; otherwise null. A
// function with another name or another first parameter does not count, since a submission could hide its reads in one.
const llvm::CallInst *pixelCall(const llvm::Instruction *instruction) {
  static const std::set<std::string> names{"read_imagef",  "read_imagei",  "read_imageui", "read_imageh",
                                           "write_imagef", "write_imagei", "write_imageui", "write_imageh"};
  auto *call = llvm::dyn_cast<llvm::CallInst>(instruction);
  const llvm::Function *function = call ? call->getCalledFunction() : nullptr;
  if (!function || !function->isDeclaration())
    return nullptr;
  const auto [name, parameters] = builtinOf(function->getName());
  return names.count(name.str()) && isImage(parameters) ? call : nullptr;
}

// The image that a value of a kernel points to.
const oclgrind::Image *imageOf(const oclgrind::TypedValue &value) {
  return reinterpret_cast<const oclgrind::Image *>(value.getPointer());
}

// The pointer that an instruction reads or writes by; of a built-in function, or of a copy, what it reads by. An image is
// one, too.
const llvm::Value *pointerOf(const llvm::Instruction *instruction) {
  if (const llvm::Value *pointer = llvm::getLoadStorePointerOperand(instruction))
    return pointer;
  if (const llvm::CallInst *call = pixelCall(instruction))
    return call->getArgOperand(0);
  const llvm::Value *found = nullptr;
  if (auto *call = llvm::dyn_cast<llvm::CallInst>(instruction))
    for (const llvm::Use &operand : call->args())
      if (operand->getType()->isPointerTy())
        found = operand.get();
  return found;
}

// What decides where an instruction goes on; null if it always goes on in the same place.
const llvm::Value *conditionOf(const llvm::Instruction *instruction) {
  if (auto *branch = llvm::dyn_cast<llvm::BranchInst>(instruction))
    return branch->isConditional() ? branch->getCondition() : nullptr;
  auto *choice = llvm::dyn_cast<llvm::SwitchInst>(instruction);
  return choice ? choice->getCondition() : nullptr;
}

// A name or a message as JSON may hold it: what is quoted from a student's source may hold any bytes.
std::string text(const std::string &bytes) {
  return llvm::json::fixUTF8(bytes);
}

unsigned elementsOf(const llvm::Value *value) {
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
  return vector ? vector->getNumElements() : 1;
}

}  // namespace
