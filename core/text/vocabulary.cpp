#include "core/text/vocabulary.h"

#include <functional>

namespace headscope {

std::size_t Vocabulary::slot_of(std::string_view piece) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = std::hash<std::string_view>()(piece) & mask;
  while (slots_[slot] >= 0 && text_of(entries_[static_cast<std::size_t>(slots_[slot])]) != piece) {
    slot = (slot + 1) & mask;
  }
  return slot;
}

void Vocabulary::grow() {
  slots_.assign(slots_.empty() ? 1024 : 2 * slots_.size(), -1);
  for (std::size_t k = 0; k < entries_.size(); ++k) {
    std::int32_t& slot = slots_[slot_of(text_of(entries_[k]))];
    if (slot < 0) slot = static_cast<std::int32_t>(k);
  }
}

bool Vocabulary::add(std::string_view piece, std::int64_t id) {
  if (2 * (entries_.size() + 1) > slots_.size()) grow();
  const auto entry = static_cast<std::int32_t>(entries_.size());
  std::int32_t& slot = slots_[slot_of(piece)];
  const bool is_new = slot < 0;
  if (is_new) {
    slot = entry;
    entries_.push_back({static_cast<std::uint32_t>(pool_.size()), static_cast<std::uint32_t>(piece.size()),
                        static_cast<std::int32_t>(id)});
    pool_.append(piece);
  } else {
    Entry again = entries_[static_cast<std::size_t>(slot)];
    again.id = static_cast<std::int32_t>(id);
    entries_.push_back(again);
  }
  if (id >= size()) entry_of_id_.resize(static_cast<std::size_t>(id) + 1, -1);
  entry_of_id_[static_cast<std::size_t>(id)] = entry;
  return is_new;
}

std::optional<std::int64_t> Vocabulary::find(std::string_view piece) const {
  if (slots_.empty()) return std::nullopt;
  const std::int32_t entry = slots_[slot_of(piece)];
  if (entry < 0) return std::nullopt;
  return entries_[static_cast<std::size_t>(entry)].id;
}

bool Vocabulary::has(std::int64_t id) const {
  return id >= 0 && id < size() && entry_of_id_[static_cast<std::size_t>(id)] >= 0;
}

std::string_view Vocabulary::piece(std::int64_t id) const {
  if (!has(id)) return {};
  return text_of(entries_[static_cast<std::size_t>(entry_of_id_[static_cast<std::size_t>(id)])]);
}

}  // namespace headscope
