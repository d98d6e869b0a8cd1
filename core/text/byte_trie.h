// A tree of pieces, which finds all pieces that a text begins with in one walk.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace headscope {

class ByteTrie {
 public:
  ByteTrie() = default;
  // Empty pieces are left out; of two equal ones the later wins.
  explicit ByteTrie(std::vector<std::pair<std::string_view, std::int32_t>> pieces);

  // f(length, value) for every piece that `text` begins with, shortest first.
  template <typename F>
  void each_prefix(std::string_view text, F&& f) const {
    if (nodes_.empty()) return;
    std::size_t node = 0;
    for (std::size_t k = 0; k < text.size(); ++k) {
      node = child(node, static_cast<unsigned char>(text[k]));
      if (node == 0) return;
      if (nodes_[node].value >= 0) f(k + 1, nodes_[node].value);
    }
  }

  // The longest piece that `text` begins with: its length and its value; {0, -1} when there is none.
  std::pair<std::size_t, std::int32_t> longest_prefix(std::string_view text) const {
    std::pair<std::size_t, std::int32_t> best = {0, -1};
    each_prefix(text, [&](std::size_t length, std::int32_t value) { best = {length, value}; });
    return best;
  }

 private:
  struct Node {
    std::uint32_t first_child = 0;
    std::uint16_t children = 0;
    unsigned char label = 0;
    std::int32_t value = -1;
  };
  std::size_t child(std::size_t node, unsigned char label) const;  // 0 for none

  std::vector<Node> nodes_;  // the root, then every node's children side by side, labels ascending
};

}  // namespace headscope
