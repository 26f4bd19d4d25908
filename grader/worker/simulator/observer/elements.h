// Reads of an element that a vector does not have. Oclgrind reads its own memory there. Such reads give zeros, like all others
// outside of all arrays (stray.h). Oclgrind reports writes itself, since it makes stores to single elements of them.

#pragma once

#include "oclgrind.h"
#include "quotes.h"

#include <llvm/IR/Instructions.h>

#include <cstdint>
#include <cstring>
#include <sstream>
#include <string>

namespace {

class Elements {
public:
  // A message about an element that the vector does not have; none if all is right.
  static std::string executed(const oclgrind::WorkItem *item, const llvm::Instruction *instruction,
                              const oclgrind::TypedValue &result) {
    auto *read = llvm::dyn_cast<llvm::ExtractElementInst>(instruction);
    if (!read)
      return "";
    const uint64_t index = item->getOperand(read->getIndexOperand()).getUInt();
    const unsigned size = elementsOf(read->getVectorOperand());
    if (index < size)
      return "";
    std::memset(result.data, 0, result.size);
    std::ostringstream said;
    said << "Index (" << int32_t(index) << ") exceeds static array size (" << size << ")\n\tWork-item: Global"
         << item->getGlobalID() << " Local" << item->getLocalID() << " Group" << item->getWorkGroup()->getGroupID()
         << "\n\t  " << quoted(read);
    return said.str();
  }
};

}  // namespace
