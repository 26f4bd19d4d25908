// The GPU that the counts are for, and where in its work-group a work-item stands.

#pragma once

#include "oclgrind.h"

#include <cstdlib>

namespace {

unsigned setting(const char *name, unsigned otherwise) {
  const char *value = std::getenv(name);
  return value ? unsigned(std::strtoul(value, nullptr, 10)) : otherwise;
}

const unsigned WARP = setting("GRADER_WARP", 32);      // neighbouring work-items that run in step
const unsigned SECTOR = setting("GRADER_SECTOR", 32);  // bytes that one access to global memory moves
const unsigned BANKS = setting("GRADER_BANKS", 32);    // of local memory
const unsigned BANK = setting("GRADER_BANK", 4);       // bytes that a bank gives in a turn

size_t sizeOf(const oclgrind::WorkGroup *group) {
  const oclgrind::Size3 size = group->getGroupSize();
  return size.x * size.y * size.z;
}

unsigned numberOf(const oclgrind::WorkItem *item) {
  const oclgrind::Size3 id = item->getLocalID(), size = item->getWorkGroup()->getGroupSize();
  return unsigned(id.x + size.x * (id.y + size.y * id.z));
}

}  // namespace
