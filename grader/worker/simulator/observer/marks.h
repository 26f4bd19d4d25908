// What is known of each byte of memory: whether it was ever written, and with what.

#pragma once

#include "oclgrind.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace {

// Of a byte, or of an element of a value: 0 it was never written, 1 it is in order, and from 2 on the number of the
// expression that read it while it was not set.
using Mark = uint32_t;
constexpr Mark NEVER = 0, FINE = 1;
using Marks = std::vector<Mark>;                   // of a value: one for each element of a vector

bool isSet(Mark mark) {
  return mark <= FINE;
}

bool areSet(const Marks &marks) {
  return std::all_of(marks.begin(), marks.end(), isSet);
}

// The first that is not set; 0 if all are.
Mark firstOf(const Marks &marks) {
  auto found = std::find_if_not(marks.begin(), marks.end(), isSet);
  return found == marks.end() ? 0 : *found;
}

// Whether others of the four bytes around this one are in order: then it lies between the members of a structure.
bool isPadded(const Marks &bytes, size_t at) {
  const size_t first = at / 4 * 4, end = std::min(first + 4, bytes.size());
  return std::count(bytes.begin() + first, bytes.begin() + end, FINE) > 0;
}

// The marks of all memory.
class Shadow {
public:
  void forget(const oclgrind::Memory *memory) { memories.erase(memory); }

  void forget(const oclgrind::Memory *memory, size_t address) { memories[memory].erase(memory->extractBuffer(address)); }

  void read(const oclgrind::Memory *memory, size_t address, Marks &marks) {
    const size_t offset = memory->extractOffset(address);
    const Marks &bytes = memories[memory][memory->extractBuffer(address)];
    for (size_t i = 0; i < marks.size(); i++)
      marks[i] = offset + i < bytes.size() ? bytes[offset + i] : NEVER;
  }

  // Mark 0 leaves what was known.
  void write(const oclgrind::Memory *memory, size_t address, size_t size, const Marks &marks) {
    const oclgrind::Memory::Buffer *buffer =
        memory->isAddressValid(address, size) ? memory->getBuffer(address) : nullptr;
    if (!buffer)
      return;
    Marks &bytes = memories[memory][memory->extractBuffer(address)];
    if (bytes.size() < buffer->size)
      bytes.resize(buffer->size, NEVER);
    const size_t offset = memory->extractOffset(address);
    for (size_t i = 0; i < size; i++)
      if (const Mark each = marks[i * marks.size() / size])
        bytes[offset + i] = each;
  }

private:
  std::unordered_map<const oclgrind::Memory *, std::unordered_map<size_t, Marks>> memories;
};

}  // namespace
