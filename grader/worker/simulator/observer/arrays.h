// The arrays of a kernel in global and local memory: their names in the source, and their sizes.

#pragma once

#include "oclgrind.h"
#include "source.h"

#include <llvm/IR/Argument.h>
#include <llvm/IR/DerivedTypes.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace {

class Arrays {
public:
  void kernelBegins(const oclgrind::Kernel *kernel, const oclgrind::Memory *global) {
    arrays.clear();
    locals.clear();
    constants.clear();
    for (auto value = kernel->values_begin(); value != kernel->values_end(); ++value) {
      auto *type = llvm::dyn_cast<llvm::PointerType>(value->first->getType());
      if (type && type->getAddressSpace() == oclgrind::AddrSpaceLocal)
        locals.push_back(value->first);
      else if (type && type->getAddressSpace() == oclgrind::AddrSpacePrivate && !isOpaque(type))
        continue;  // a struct that is passed by value: the kernel's value of the parameter is its bytes
      else if (type && isImage(type))
        name(global, imageOf(value->second)->address,
             value->first->getName().str());
      else if (type && llvm::isa<llvm::Argument>(value->first) && !isOpaque(type))
        name(global, value->second.getPointer(), value->first->getName().str());
      else if (type && type->getAddressSpace() == oclgrind::AddrSpaceConstant)
        constants.insert(global->extractBuffer(value->second.getPointer()));
    }
    for (const size_t buffer : written)
      constants.erase(buffer);
  }

  // A work-item writes: a kernel that takes the address of a constant variable can use it as an array in global memory.
  void store(const oclgrind::Memory *memory, size_t address) {
    const size_t buffer = memory->extractBuffer(address);
    if (memory->getAddressSpace() == oclgrind::AddrSpaceGlobal && constants.erase(buffer))
      written.insert(buffer);
  }

  void groupBegins(const oclgrind::WorkGroup *group) {
    for (const llvm::Value *array : locals) {
      const std::string whole = array->getName().str();  // a local variable x of a kernel k is called k.x
      name(group->getLocalMemory(), group->getLocalMemoryAddress(array), whole.substr(whole.rfind('.') + 1));
    }
  }

  std::string nameOf(unsigned space, size_t buffer) const {
    auto found = arrays.find({space, buffer});
    return found == arrays.end() ? "" : found->second.name;
  }

  // Oclgrind keeps constant memory in global memory. Only variables of the program are constant: all else there are
  // buffers that the host has made as global memory, whatever a parameter or a pointer says of them.
  unsigned spaceOf(const oclgrind::Memory *memory, size_t buffer) const {
    const unsigned space = memory->getAddressSpace();
    const bool constant = space == oclgrind::AddrSpaceGlobal && constants.count(buffer);
    return constant ? unsigned(oclgrind::AddrSpaceConstant) : space;
  }

  std::string nameAt(const oclgrind::Memory *memory, size_t address) const {
    return nameOf(memory->getAddressSpace(), memory->extractBuffer(address));
  }

  void write(llvm::json::OStream &out) const {
    for (auto &[place, array] : arrays)
      out.object([&, space = place.first, buffer = place.second, &array = array] {
        out.attribute("space", space);
        out.attribute("buffer", buffer);
        out.attribute("name", text(array.name));
        out.attribute("size", array.size);
      });
  }

private:
  struct Array {
    std::string name;
    size_t size;                                   // in bytes
  };

  std::map<std::pair<unsigned, size_t>, Array> arrays;  // by address space and number of the buffer
  std::vector<const llvm::Value *> locals;              // the kernel's arrays in local memory
  std::set<size_t> constants;                           // numbers of the buffers of the program's constant variables
  std::set<size_t> written;                             // of those that a kernel has written

  // A pointer to a type that only the driver knows: a sampler or an image.
  static bool isOpaque(const llvm::PointerType *type) {
    auto *kind = llvm::dyn_cast<llvm::StructType>(type->getPointerElementType());
    return kind && kind->hasName() && kind->getName().startswith("opencl.");
  }

  static bool isImage(const llvm::PointerType *type) {
    return isOpaque(type) && type->getPointerElementType()->getStructName().startswith("opencl.image");
  }

  void name(const oclgrind::Memory *memory, size_t address, const std::string &array) {
    if (const oclgrind::Memory::Buffer *buffer = memory->getBuffer(address))
      arrays[{memory->getAddressSpace(), memory->extractBuffer(address)}] = {array, buffer->size};
  }
};

}  // namespace
