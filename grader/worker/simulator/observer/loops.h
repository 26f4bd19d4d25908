// The loops of a function, by the block that each begins with.

#pragma once

#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Function.h>

#include <map>
#include <set>
#include <vector>

namespace {

class Loops {
public:
  // The first block of the innermost loop around a block; null if there is none.
  const llvm::BasicBlock *around(const llvm::BasicBlock *block) {
    const llvm::Function *function = block->getParent();
    if (known.insert(function).second)
      find(function);
    const auto found = innermost.find(block);
    return found == innermost.end() ? nullptr : found->second;
  }

private:
  using Block = const llvm::BasicBlock *;

  std::set<const llvm::Function *> known;
  std::map<Block, Block> innermost;

  // An edge back to a block on the current path closes a loop: the blocks that lead to the edge.
  void find(const llvm::Function *function) {
    std::map<Block, std::set<Block>> loops;
    std::set<Block> seen{&function->getEntryBlock()}, open = seen;
    std::vector<std::pair<Block, llvm::const_succ_iterator>> path{{*seen.begin(), llvm::succ_begin(*seen.begin())}};
    while (!path.empty()) {
      auto &[block, next] = path.back();
      if (next == llvm::succ_end(block)) {
        open.erase(block);
        path.pop_back();
        continue;
      }
      const Block after = *next++;
      if (open.count(after))
        add(loops[after], after, block);
      else if (seen.insert(after).second) {
        open.insert(after);
        path.push_back({after, llvm::succ_begin(after)});
      }
    }
    std::map<Block, size_t> sizes;
    for (const auto &[first, blocks] : loops)
      for (const Block block : blocks)
        if (!innermost.count(block) || blocks.size() < sizes[block]) {
          innermost[block] = first;
          sizes[block] = blocks.size();
        }
  }

  static void add(std::set<Block> &loop, Block first, Block last) {
    std::vector<Block> ahead{last};
    loop.insert(first);
    while (!ahead.empty()) {
      const Block block = ahead.back();
      ahead.pop_back();
      if (loop.insert(block).second)
        ahead.insert(ahead.end(), llvm::pred_begin(block), llvm::pred_end(block));
    }
  }
};

}  // namespace
