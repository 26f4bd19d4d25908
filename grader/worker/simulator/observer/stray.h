// Reads outside of all arrays give zeros. Oclgrind leaves there what its memory happens to hold, and the same kernel would
// have other results each time.

#pragma once

#include "oclgrind.h"

#include <cstdint>
#include <cstring>

namespace {

class Stray {
public:
  void load(const oclgrind::Memory *memory, size_t address, size_t size) {
    strayed = !memory->isAddressValid(address, size);
  }

  // The bytes that were read: the result of an instruction, or what a copy is about to write.
  void read(const uint8_t *data, size_t size) {
    if (strayed && data)
      std::memset(const_cast<uint8_t *>(data), 0, size);
    strayed = false;
  }

private:
  bool strayed = false;    // in the last load
};

}  // namespace
