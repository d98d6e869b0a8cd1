#include "core/text/pipeline_tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "core/base/error.h"
#include "core/text/byte_alphabet.h"
#include "core/text/token_spelling.h"

namespace headscope {

namespace {

constexpr std::size_t kLongestText = std::size_t{16} << 20;
class PipelineTokenizer final : public Tokenizer {
 public:
  explicit PipelineTokenizer(TokenizerParts parts)
      : parts_(std::move(parts)),
        added_(parts_.added_tokens, parts_.normalizer),
        spelling_(spelling_of(parts_.normalizer, parts_.pre_tokenizer, parts_.decoder)) {
    SpecialTokens& roles = parts_.roles;
    for (const AddedToken& token : added_.tokens()) {
      if (token.special) roles.all.push_back(token.id);
    }
    for (const auto* frame : {&parts_.post_processor.before, &parts_.post_processor.after}) {
      for (const PostProcessor::Special& one : *frame) roles.all.push_back(one.id);
    }
    for (const PostProcessor::PairPart& part : parts_.post_processor.pair) {
      if (part.of == PostProcessor::PairPart::Of::added) roles.all.push_back(part.special.id);
    }
    for (const auto& role :
         {roles.unknown, roles.mask, roles.begin, roles.end, roles.pad, roles.separator, roles.classifier}) {
      if (role) roles.all.push_back(*role);
    }
    std::sort(roles.all.begin(), roles.all.end());
    roles.all.erase(std::unique(roles.all.begin(), roles.all.end()), roles.all.end());
  }

  Tokens tokenize(std::string_view text) const override;
  Tokens tokenize_pair(std::string_view first, std::string_view second) const override;
  bool knows_pairs() const override { return !parts_.post_processor.pair.empty(); }
  std::string decode(std::span<const std::int64_t> ids) const override;
  std::string piece_of(std::int64_t id) const override;
  std::optional<std::int64_t> id_of(std::string_view piece) const override;
  std::string_view kind() const override;
  std::int64_t vocabulary_size() const override;
  SpecialTokens special() const override { return parts_.roles; }
  std::vector<std::string> words_beginning(std::string_view beginning, std::size_t most) const override;

 private:
  const Vocabulary& vocabulary() const { return vocabulary_of(parts_.model); }
  bool knows(std::int64_t id) const { return added_.find(id) != nullptr || vocabulary().has(id); }
  std::string_view spelled(std::int64_t id) const {
    const AddedToken* const added = added_.find(id);
    return added != nullptr ? std::string_view(added->content) : vocabulary().piece(id);
  }
  std::string readable(std::string_view spelling) const;
  void append(Tokens& tokens, std::int64_t id, std::string spelling, std::string piece, Range range,
              std::int64_t word) const;
  struct Work {
    ModelScratch scratch;
    std::vector<ModelToken> found;
    std::int64_t next_word = 0;
    // Where a token with an id of this remainder stood last: its readable text is there already.
    std::array<std::size_t, 1024> last_place = {};
  };
  void append_word(const PieceList& list, const TextPiece& piece, Work& work, Tokens& tokens) const;
  Tokens unframed(std::string_view text) const;
  Tokens framed(Tokens tokens) const;

  TokenizerParts parts_;
  AddedTokens added_;
  Spelling spelling_;
};

std::string PipelineTokenizer::readable(std::string_view spelling) const {
  switch (spelling_) {
    case Spelling::bytes:
      return readable_bytes(bytes_of_spelling(spelling));
    case Spelling::metaspace:
      return with_blanks(spelling);
    case Spelling::plain:
      break;
  }
  if (!parts_.end_of_word_suffix.empty() && spelling.ends_with(parts_.end_of_word_suffix)) {
    spelling.remove_suffix(parts_.end_of_word_suffix.size());
  }
  return std::string(spelling);
}

void PipelineTokenizer::append(Tokens& tokens, std::int64_t id, std::string spelling, std::string piece, Range range,
                               std::int64_t word) const {
  tokens.ids.push_back(id);
  tokens.vocabulary_pieces.push_back(std::move(spelling));
  tokens.pieces.push_back(std::move(piece));
  tokens.offsets.push_back(range);
  tokens.words.push_back(word);
}

// Room for a long word at once: else its tokens, with two strings each, are moved again and again.
void make_room(Tokens& tokens, std::size_t more) {
  const std::size_t needed = tokens.ids.size() + more;
  if (needed <= tokens.ids.capacity()) return;
  const std::size_t room = std::max(needed, 2 * tokens.ids.capacity());
  tokens.ids.reserve(room);
  tokens.pieces.reserve(room);
  tokens.vocabulary_pieces.reserve(room);
  tokens.offsets.reserve(room);
  tokens.words.reserve(room);
}

// Where the pre-tokenizer leaves several words together (Llama's does), a blank begins the next.
void PipelineTokenizer::append_word(const PieceList& list, const TextPiece& piece, Work& work, Tokens& tokens) const {
  const std::string_view word = std::string_view(list.text.bytes).substr(piece.begin, piece.end - piece.begin);
  make_room(tokens, work.found.size());
  for (std::size_t k = 0; k < work.found.size(); ++k) {
    const ModelToken& token = work.found[k];
    const SourceRange source = list.text.source_of(piece.begin + token.begin, piece.begin + token.end);
    const std::string_view spelling =
        token.as_written ? word.substr(token.begin, token.end - token.begin) : vocabulary().piece(token.id);
    if (k > 0 && spelling_ == Spelling::metaspace && spelling.starts_with(kMetaspace)) ++work.next_word;
    std::size_t& last = work.last_place[static_cast<std::size_t>(token.id) % work.last_place.size()];
    const bool again = !token.as_written && last < tokens.ids.size() && tokens.ids[last] == token.id;
    std::string shown = again                                                  ? tokens.pieces[last]
                        : token.as_written || added_.find(token.id) == nullptr ? readable(spelling)
                                                                               : std::string(spelling);
    if (!token.as_written) last = tokens.ids.size();
    const bool outside = parts_.vocabulary_end && token.id >= *parts_.vocabulary_end;
    append(tokens, outside ? *unknown_of(parts_.model) : token.id, std::string(spelling), std::move(shown),
           {source.begin, source.end}, work.next_word);
  }
  if (!work.found.empty()) ++work.next_word;
}

Tokens PipelineTokenizer::unframed(std::string_view text) const {
  if (text.size() > kLongestText) {
    throw Error(fmt::format("the text: found {} bytes; expected at most {}", text.size(), kLongestText));
  }
  PieceList list = added_.split(aligned(text), parts_.normalizer);
  pre_tokenize(list, parts_.pre_tokenizer);
  Tokens tokens;
  Work work;
  for (const TextPiece& piece : list.pieces) {
    if (piece.id >= 0) {
      const AddedToken& token = *added_.find(piece.id);
      const SourceRange source = list.text.source_of(piece.begin, piece.end);
      append(tokens, token.id, list.text.bytes.substr(piece.begin, piece.end - piece.begin), token.content,
             {source.begin, source.end}, token.special ? -1 : work.next_word);
      if (!token.special) ++work.next_word;
      continue;
    }
    work.found.clear();
    spell(parts_.model, std::string_view(list.text.bytes).substr(piece.begin, piece.end - piece.begin), work.scratch,
          work.found);
    append_word(list, piece, work, tokens);
  }
  if (parts_.post_processor.trim_offsets) {
    for (std::size_t k = 0; k < tokens.ids.size(); ++k) {
      Range& range = tokens.offsets[k];
      const bool keep = parts_.post_processor.add_prefix_space && (k == 0 || range.begin == 0);
      range = trimmed(text, tokens.vocabulary_pieces[k], range, keep);
    }
  }
  return tokens;
}

Tokens PipelineTokenizer::tokenize(std::string_view text) const {
  return framed(unframed(text));
}

Tokens PipelineTokenizer::tokenize_pair(std::string_view first, std::string_view second) const {
  if (!knows_pairs()) return Tokenizer::tokenize_pair(first, second);
  const Tokens texts[] = {unframed(first), unframed(second)};
  const auto& words = texts[0].words;
  const std::int64_t words_before = words.empty() ? 0 : *std::max_element(words.begin(), words.end()) + 1;
  Tokens result;
  using Of = PostProcessor::PairPart::Of;
  for (const PostProcessor::PairPart& part : parts_.post_processor.pair) {
    if (part.of == Of::added) {
      append(result, part.special.id, part.special.spelling, part.special.spelling, {0, 0}, -1);
    } else {
      const std::int64_t offset = part.of == Of::second ? words_before : 0;
      const Tokens& text = texts[part.of == Of::second];
      for (std::size_t k = 0; k < text.ids.size(); ++k) {
        const std::int64_t word = text.words[k] < 0 ? -1 : text.words[k] + offset;
        append(result, text.ids[k], text.vocabulary_pieces[k], text.pieces[k], text.offsets[k], word);
      }
    }
    result.texts.resize(result.ids.size(), part.of == Of::added ? -1 : part.of == Of::second ? 1 : 0);
    result.types.resize(result.ids.size(), part.type);
  }
  return result;
}

Tokens PipelineTokenizer::framed(Tokens tokens) const {
  const PostProcessor& post = parts_.post_processor;
  if (post.before.empty() && post.after.empty()) return tokens;
  Tokens result;
  const auto add = [&](const std::vector<PostProcessor::Special>& frame) {
    for (const PostProcessor::Special& one : frame) append(result, one.id, one.spelling, one.spelling, {0, 0}, -1);
  };
  const auto move_behind = [](auto& to, auto& from) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  };
  add(post.before);
  move_behind(result.pieces, tokens.pieces);
  move_behind(result.vocabulary_pieces, tokens.vocabulary_pieces);
  move_behind(result.ids, tokens.ids);
  move_behind(result.offsets, tokens.offsets);
  move_behind(result.words, tokens.words);
  add(post.after);
  return result;
}

std::string PipelineTokenizer::decode(std::span<const std::int64_t> ids) const {
  std::vector<std::string> pieces;
  for (const std::int64_t id : ids) {
    if (!knows(id)) {
      throw Error(
          fmt::format("token ids: found {}; expected ids of the vocabulary, 0 to {}", id, vocabulary_size() - 1));
    }
    pieces.emplace_back(spelled(id));
  }
  return decoded(std::move(pieces), parts_.decoder);
}

std::string PipelineTokenizer::piece_of(std::int64_t id) const {
  if (const AddedToken* const added = added_.find(id)) return added->content;
  return vocabulary().has(id) ? readable(vocabulary().piece(id)) : Tokenizer::piece_of(id);
}

std::optional<std::int64_t> PipelineTokenizer::id_of(std::string_view piece) const {
  if (const AddedToken* const added = added_.find(piece)) return added->id;
  return vocabulary().find(piece);
}

std::string_view PipelineTokenizer::kind() const {
  struct Name {
    std::string_view operator()(const BpeModel&) const { return "BPE"; }
    std::string_view operator()(const WordPieceModel&) const { return "WordPiece"; }
    std::string_view operator()(const UnigramModel&) const { return "Unigram"; }
    std::string_view operator()(const WordLevelModel&) const { return "WordLevel"; }
  };
  return std::visit(Name(), parts_.model);
}

std::int64_t PipelineTokenizer::vocabulary_size() const {
  if (parts_.vocabulary_end) return *parts_.vocabulary_end;
  const std::int64_t largest_added = added_.tokens().empty() ? -1 : added_.tokens().back().id;
  return std::max(vocabulary().size(), largest_added + 1);
}

std::vector<std::string> PipelineTokenizer::words_beginning(std::string_view beginning, std::size_t most) const {
  // A word's first piece begins with the blank before it, where the vocabulary has blanks at all.
  const std::size_t blanks = spelling_ == Spelling::plain ? 0 : 1;
  std::string wanted;
  if (spelling_ == Spelling::bytes) {
    wanted = spelled_in_bytes(std::string(blanks, ' ').append(beginning));
  } else if (spelling_ == Spelling::metaspace) {
    wanted = std::string(kMetaspace).append(beginning);
  } else {
    wanted = normalized(aligned(beginning), parts_.normalizer).bytes;
  }
  if (wanted.empty() || beginning.empty() || most == 0) return {};
  std::vector<std::pair<std::int64_t, std::int64_t>> found;  // (length, id)
  vocabulary().each([&](std::string_view piece, std::int64_t id) {
    if (piece.size() > wanted.size() && piece.starts_with(wanted) && added_.find(id) == nullptr) {
      found.push_back({static_cast<std::int64_t>(piece.size()), id});
    }
  });
  const auto kept = found.begin() + static_cast<std::ptrdiff_t>(std::min(most, found.size()));
  std::partial_sort(found.begin(), kept, found.end());
  std::vector<std::string> words;
  for (auto one = found.begin(); one != kept; ++one) {
    words.push_back(readable(vocabulary().piece(one->second)).substr(blanks));
  }
  return words;
}

}  // namespace

std::shared_ptr<const Tokenizer> make_pipeline_tokenizer(TokenizerParts parts) {
  return std::make_shared<PipelineTokenizer>(std::move(parts));
}

}  // namespace headscope
