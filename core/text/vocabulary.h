// Pieces and their ids, both ways; 250,000 of them in a few megabytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

class Vocabulary {
 public:
  static constexpr std::int64_t kLargestId = 9'999'999;

  // False when the piece is known already: find() still returns its first id. Two pieces may have the same id: piece()
  // then returns the later one. 0 <= id <= kLargestId; at most 2^31 pieces of together 4 GiB.
  bool add(std::string_view piece, std::int64_t id);

  // nullopt for an unknown piece.
  std::optional<std::int64_t> find(std::string_view piece) const;
  // Empty for an id that no piece has.
  std::string_view piece(std::int64_t id) const;
  bool has(std::int64_t id) const;
  // f(piece, id) in the order they were added.
  template <typename F>
  void each(F&& f) const {
    for (const Entry& entry : entries_) f(text_of(entry), static_cast<std::int64_t>(entry.id));
  }
  // One more than the largest id.
  std::int64_t size() const { return static_cast<std::int64_t>(entry_of_id_.size()); }

 private:
  struct Entry {
    std::uint32_t begin;
    std::uint32_t bytes;
    std::int32_t id;
  };
  std::string_view text_of(const Entry& entry) const {
    return std::string_view(pool_).substr(entry.begin, entry.bytes);
  }
  std::size_t slot_of(std::string_view piece) const;
  void grow();

  std::string pool_;
  std::vector<Entry> entries_;
  std::vector<std::int32_t> slots_;        // open addressing, -1 where free; a power of two
  std::vector<std::int32_t> entry_of_id_;  // -1 for an id that no piece has
};

}  // namespace headscope
