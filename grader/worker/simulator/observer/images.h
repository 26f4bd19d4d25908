// Reads and writes of images: how often each expression does it, with how many of a warp, and coordinates outside.
//
// An image is neither an array of words nor moved in sectors, so its accesses are counted apart. A read outside is right
// if its sampler has an addressing mode, which says what is read there. Without one it is undefined, and so is a write:
// Oclgrind writes into the next row.

#pragma once

#include "calls.h"
#include "device.h"
#include "oclgrind.h"
#include "quotes.h"
#include "source.h"
#include "work.h"

#include <llvm/IR/Constants.h>

#include <cmath>
#include <map>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>

namespace {

class Images {
public:
  void kernelBegins() {
    uses.clear();
    calls.forget();
  }

  // As in accesses.h: the n-th calls of a warp's work-items since the last barrier are one request.
  void barrier(const Work &work) {
    for (auto &[_, use] : uses) {
      for (const auto &[request, lanes] : use.requests)
        if (2 * lanes < WARP) {
          use.idle++;
          use.active += lanes;
        } else {
          use.waiting.requests(1);
        }
      use.requests.clear();
      use.turns.clear();
      use.waiting.barrier(work);
    }
  }

  void groupEnds(const Work &work) {
    for (auto &[_, use] : uses)
      use.waiting.groupEnds(work);
  }

  void kernelEnds(const Work &work) {
    for (auto &[_, use] : uses) {
      use.idle += use.waiting.idle(work);
      use.active += use.waiting.active(work);
    }
  }

  // A message about a pixel outside; none if all is right.
  std::string executed(const oclgrind::WorkItem *item, const llvm::Instruction *instruction) {
    const llvm::CallInst *call = pixelCall(instruction);
    if (!call)
      return "";
    const bool writes = call->getType()->isVoidTy();
    Use &use = uses[instruction];
    if (!use.times++) {
      use.spot = spotOf(instruction);
      use.image = variableOf(call->getArgOperand(0));
      use.writes = writes;
    }
    const unsigned number = numberOf(item), path = calls.of(item);
    use.requests[{path, number / WARP, use.turns[{path, number}]++}]++;
    return outside(item, call, writes);
  }

  void write(llvm::json::OStream &out) const {
    std::map<std::tuple<unsigned, unsigned, bool, std::string>, Counts> ordered;
    for (auto &entry : uses) {
      const Use &use = entry.second;
      Counts &counts = ordered[{use.spot.line, use.spot.column, use.writes, use.image}];
      counts.times += use.times;
      counts.idle += use.idle;
      counts.active += use.active;
    }
    for (auto &[use, counts] : ordered)
      out.object([&, &use = use, &counts = counts] {
        out.attribute("line", std::get<0>(use));
        out.attribute("column", std::get<1>(use));
        out.attribute("writes", std::get<2>(use));
        out.attribute("image", text(std::get<3>(use)));
        out.attribute("times", counts.times);
        out.attribute("mostly_idle", counts.idle);
        out.attribute("active", counts.active);
      });
  }

private:
  struct Counts {
    uint64_t times = 0, idle = 0, active = 0;      // idle: requests of mostly idle warps; active: their work-items
  };

  struct Use : Counts {
    Spot spot;
    std::string image;                             // its name in the source
    bool writes = false;
    Waiting waiting;
    std::map<std::pair<unsigned, unsigned>, unsigned> turns;  // by calls and work-item, since the last barrier
    std::map<std::tuple<unsigned, unsigned, unsigned>, unsigned> requests;  // work-items, by calls, warp and turn
  };

  static constexpr uint64_t NORMALIZED = 1, ADDRESS_MODE = 0xE;  // bits of a sampler, as in Oclgrind's opencl-c-base.h

  std::map<const llvm::Instruction *, Use> uses;
  Calls calls;

  // A call without a sampler is as one whose sampler has no addressing mode.
  static std::string outside(const oclgrind::WorkItem *item, const llvm::CallInst *call, bool writes) {
    const bool sampled = !writes && call->arg_size() > 2;
    const uint64_t sampler = sampled ? samplerOf(item->getOperand(call->getArgOperand(1))) : 0;
    if (sampler & ADDRESS_MODE)
      return "";
    const oclgrind::Image &image = *imageOf(item->getOperand(call->getArgOperand(0)));
    const llvm::Value *operand = call->getArgOperand(sampled ? 2 : 1);
    const oclgrind::TypedValue place = item->getOperand(operand);
    const bool real = operand->getType()->getScalarType()->isFloatTy(), normalized = sampler & NORMALIZED;
    const size_t width = image.desc.image_width, height = image.desc.image_height;
    const double x = coordinate(place, 0, real, normalized ? width : 1);
    const double y = place.num > 1 ? coordinate(place, 1, real, normalized ? height : 1) : 0;
    const bool deep = image.desc.image_type == CL_MEM_OBJECT_IMAGE3D;
    const size_t depth = deep ? image.desc.image_depth : 1;
    const double z = deep && place.num > 2 ? coordinate(place, 2, real, normalized ? depth : 1) : 0;
    if (x >= 0 && x < double(width) && y >= 0 && y < double(height) && z >= 0 && z < double(depth))
      return "";
    std::ostringstream said;
    said << "Image coordinates outside (" << x << "," << y;
    if (deep)
      said << "," << z;
    said << ") of width " << width << " and height " << height;
    if (deep)
      said << " and depth " << depth;
    said << "\n\tWork-item: Global" << item->getGlobalID() << " Local" << item->getLocalID() << " Group"
         << item->getWorkGroup()->getGroupID() << "\n\t  " << quoted(call);
    return said.str();
  }

  // Oclgrind's samplers are pointers to constants.
  static uint64_t samplerOf(const oclgrind::TypedValue &value) {
    return reinterpret_cast<const llvm::ConstantInt *>(value.getPointer())->getZExtValue();
  }

  static double coordinate(const oclgrind::TypedValue &place, unsigned index, bool real, size_t extent) {
    return real ? std::floor(place.getFloat(index) * double(extent)) : double(place.getSInt(index));
  }
};

}  // namespace
