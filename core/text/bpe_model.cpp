#include <algorithm>

#include "core/text/aligned_text.h"
#include "core/text/byte_alphabet.h"
#include "core/text/vocabulary_model.h"

namespace headscope {

namespace {

using Symbol = ModelScratch::Symbol;
// Up to here the heap is the faster queue; its logarithm is at most 8.
constexpr std::size_t kShortWord = 256;

// Fills scratch.symbols with the word's characters, each by its id.
class Characters {
 public:
  Characters(const BpeModel& model, ModelScratch& scratch) : model_(model), scratch_(scratch) {}

  void read(std::string_view word) {
    scratch_.symbols.clear();
    const bool plain = model_.continuing_subword_prefix.empty() && model_.end_of_word_suffix.empty();
    for (std::size_t at = 0; at < word.size();) {
      const auto [whole, id] = model_.whole.longest_prefix(word.substr(at));
      if (whole > 0) {
        push(id, at, at + whole);
        at += whole;
        continue;
      }
      const CodePoint point = code_point_at(word, at);
      const std::size_t end = at + static_cast<std::size_t>(point.bytes);
      if (plain && point.value < model_.letters.size() && model_.letters[point.value] >= 0) {
        push(model_.letters[point.value], at, end);
      } else {
        add(word, at, end);
      }
      at = end;
    }
  }

 private:
  void add(std::string_view word, std::size_t begin, std::size_t end) {
    scratch_.spelling.assign(begin > 0 ? model_.continuing_subword_prefix : std::string());
    scratch_.spelling.append(word.substr(begin, end - begin));
    if (end == word.size()) scratch_.spelling += model_.end_of_word_suffix;
    if (const auto id = model_.vocabulary.find(scratch_.spelling)) {
      push(*id, begin, end);
    } else if (!add_bytes(begin, end) && model_.unknown) {
      add_unknown(begin, end);
    }
  }

  void add_unknown(std::size_t begin, std::size_t end) {
    const bool fuses = model_.fuse_unknown && last_unknown_ && !scratch_.symbols.empty();
    if (fuses) {
      scratch_.symbols.back().end = static_cast<std::uint32_t>(end);
    } else {
      push(*model_.unknown, begin, end);
    }
    last_unknown_ = true;
  }

  bool add_bytes(std::size_t begin, std::size_t end) {
    if (!model_.byte_fallback) return false;
    const std::size_t before = scratch_.symbols.size();
    for (const char c : scratch_.spelling) {
      const auto id = model_.vocabulary.find(name_of_byte(static_cast<unsigned char>(c)));
      if (!id) {
        scratch_.symbols.resize(before);
        return false;
      }
      push(*id, begin, end);
    }
    return true;
  }

  void push(std::int64_t id, std::size_t begin, std::size_t end) {
    last_unknown_ = false;
    const auto index = static_cast<std::int32_t>(scratch_.symbols.size());
    scratch_.symbols.push_back({static_cast<std::int32_t>(id), index - 1, index + 1, static_cast<std::uint32_t>(begin),
                                static_cast<std::uint32_t>(end)});
  }

  const BpeModel& model_;
  ModelScratch& scratch_;
  bool last_unknown_ = false;
};

template <typename Queue>
void merge_all(const BpeModel& model, ModelScratch& scratch, Queue& queue) {
  std::vector<Symbol>& symbols = scratch.symbols;
  const auto at = [&](std::int32_t index) -> Symbol& { return symbols[static_cast<std::size_t>(index)]; };
  constexpr std::int32_t gone = -1;
  const auto offer = [&](std::int32_t left) {
    const std::int32_t right = at(left).next;
    if (right >= static_cast<std::int32_t>(symbols.size())) return;
    const PairTable::Merge* const merge = model.merges.find(at(left).id, at(right).id);
    if (merge != nullptr) queue.push({merge->rank, left, merge->merged});
  };
  for (std::size_t k = 0; k + 1 < symbols.size(); ++k) offer(static_cast<std::int32_t>(k));
  while (!queue.empty()) {
    ++scratch.steps;
    const MergeCandidate found = queue.pop();
    Symbol& left = at(found.left);
    const bool lives = left.id != gone && left.next < static_cast<std::int32_t>(symbols.size());
    if (!lives) continue;
    Symbol& right = at(left.next);
    const PairTable::Merge* const merge = model.merges.find(left.id, right.id);
    if (merge == nullptr || merge->merged != found.merged) continue;  // one of the two has become another since
    left.id = found.merged;
    left.end = right.end;
    right.id = gone;
    left.next = right.next;
    if (left.next < static_cast<std::int32_t>(symbols.size())) at(left.next).previous = found.left;
    if (left.previous >= 0) offer(left.previous);
    offer(found.left);
  }
}

void merge_all(const BpeModel& model, ModelScratch& scratch) {
  if (scratch.symbols.size() <= kShortWord) {
    scratch.short_queue.clear();
    merge_all(model, scratch, scratch.short_queue);
  } else {
    scratch.long_queue.clear(model.next_rank);
    merge_all(model, scratch, scratch.long_queue);
  }
}

}  // namespace

void finish(BpeModel& model) {
  model.letters.fill(-1);
  std::string letter;
  for (std::size_t code_point = 0; code_point < model.letters.size(); ++code_point) {
    letter.clear();
    append_utf8(letter, static_cast<std::uint32_t>(code_point));
    if (const auto id = model.vocabulary.find(letter)) model.letters[code_point] = static_cast<std::int32_t>(*id);
  }
}

void spell(const BpeModel& model, std::string_view word, ModelScratch& scratch, std::vector<ModelToken>& tokens) {
  if (word.empty()) return;
  if (model.ignore_merges) {
    if (const auto id = model.vocabulary.find(word)) {
      tokens.push_back({static_cast<std::int32_t>(*id), 0, static_cast<std::uint32_t>(word.size())});
      return;
    }
  }
  Characters(model, scratch).read(word);
  merge_all(model, scratch);
  const auto count = static_cast<std::int32_t>(scratch.symbols.size());
  for (std::int32_t k = 0; k < count; k = scratch.symbols[static_cast<std::size_t>(k)].next) {
    const Symbol& symbol = scratch.symbols[static_cast<std::size_t>(k)];
    tokens.push_back({symbol.id, symbol.begin, symbol.end});
  }
}

}  // namespace headscope
