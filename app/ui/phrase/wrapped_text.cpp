#include "app/ui/phrase/wrapped_text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

#include "app/ui/imgui_compat.h"
#include "app/ui/widgets/text_pieces.h"
#include "app/ui/widgets/widgets.h"
#include "core/base/utf8.h"

namespace headscope::ui {

namespace {

// How wide a part of the text is. In a long text the sum of its letters' advances: its shaped letters may differ by
// some pixels from that, and a letter that no atlas holds counts as a square.
class Measure {
 public:
  Measure(Ui& ui, WrappedText& kept) : ui_(ui), kept_(kept), by_letters_(kept.text.size() > kLongText) {
    ascii_.fill(-1);
  }

  float operator()(std::string_view part) {
    kept_.measured += part.size();
    if (!by_letters_) return text_width(ui_, kPhraseType, given(part));
    float width = 0;
    for (std::size_t at = 0; at < part.size();) {
      if (const auto byte = static_cast<unsigned char>(part[at]); byte < ascii_.size()) {
        float& known = ascii_[byte];
        if (known < 0) known = new_advance({byte, 1, true});
        width += known;
        ++at;
        continue;
      }
      const CodePoint c = code_point_at(part, at);
      width += advance(c);
      at += static_cast<std::size_t>(c.bytes);
    }
    return width;
  }

 private:
  float advance(const CodePoint& c) {
    const auto [found, is_new] = kept_.advances.try_emplace(c.value, 0.0f);
    if (is_new) found->second = new_advance(c);
    return found->second;
  }
  float new_advance(const CodePoint& c) const {
    const bool is_mark = c.value >= 0x300 && c.value < 0x370;
    if (is_mark || is_invisible(c.value)) return 0;
    const float em = ui_.fonts.pixels[static_cast<int>(kPhraseType)];
    const std::uint32_t shown = c.value == '\t' || c.value == '\r' ? ' ' : c.value;
    const bool known = c.valid && shown >= 0x20 && compat::has_glyph(ui_.fonts[kPhraseType], shown);
    return known ? compat::advance(ui_.fonts[kPhraseType], em, shown) : em;
  }

  Ui& ui_;
  WrappedText& kept_;
  bool by_letters_;
  std::array<float, 128> ascii_;  // advances, -1: not known yet; a map is slower than the rest of the work
};

// Breaks the text into lines, from a line's begin on.
class Wrapper {
 public:
  Wrapper(Ui& ui, WrappedText& kept) : measure_(ui, kept), kept_(kept), all_(kept.text) {}

  // A word with the blanks behind it, a part of a long word, or a line feed. Returns where the next one begins.
  std::size_t take(std::size_t at) {
    if (all_[at] == '\n') {
      begin_line(at + 1);
      return at + 1;
    }
    const std::size_t most = std::min(all_.size(), at + kMostLineBytes + 1);
    std::size_t word = at;
    while (word < most && all_[word] != ' ' && all_[word] != '\n') ++word;
    const bool whole = word - at <= kMostLineBytes;
    const bool goes_on = at > 0 && word > at && all_[at - 1] != ' ' && all_[at - 1] != '\n';
    if (goes_on) return cut(at, word);
    // Only the word has to fit, not the blanks.
    const float word_width = whole ? measure_(all_.substr(at, word - at)) : kept_.width + 1;
    const bool fits = x_ + word_width <= kept_.width && word - line() <= kMostLineBytes;
    if (at > line() && !fits) begin_line(at);
    if (word_width > kept_.width) return cut(at, word);
    x_ += word_width;
    std::size_t next = word;
    while (next < all_.size() && all_[next] == ' ' && next - line() <= kMostLineBytes) ++next;
    x_ += measure_(all_.substr(word, next - word));
    return next;
  }

 private:
  std::size_t line() const { return kept_.begins.back(); }
  void begin_line(std::size_t at) {
    kept_.begins.push_back(at);
    x_ = 0;
  }
  // A word that is wider than a line, between its graphemes. Returns where the part ends, at `end` or a little behind.
  std::size_t cut(std::size_t at, std::size_t end) {
    while (at < end) {
      const std::size_t next = next_grapheme(all_.substr(0, at + 256), at);
      const float w = measure_(all_.substr(at, next - at));
      if (at > line() && ((x_ > 0 && x_ + w > kept_.width) || next - line() > kMostLineBytes)) begin_line(at);
      x_ += w;
      at = next;
    }
    return at;
  }

  Measure measure_;
  WrappedText& kept_;
  std::string_view all_;
  float x_ = 0;  // of the line so far
};

// How many bytes at the ends of the two are the same, up to `most`.
std::size_t same_bytes_at_end(std::string_view a, std::string_view b, std::size_t most) {
  constexpr std::size_t block = 4096;
  std::size_t same = 0;
  while (most - same >= block &&
         std::memcmp(a.data() + a.size() - same - block, b.data() + b.size() - same - block, block) == 0) {
    same += block;
  }
  while (same < most && a[a.size() - 1 - same] == b[b.size() - 1 - same]) ++same;
  return same;
}

// Lines that are true of the text again once one of the new lines begins where one of these does.
struct OldLines {
  std::vector<std::size_t> begins;  // as bytes of the new text; none before the change
  std::size_t done = 0;
};

// Takes over the text. Keeps the lines that end before the change but for the last two, whose words may now fit
// elsewhere, and returns those behind it.
OldLines take_change(WrappedText& kept, const std::string& text) {
  const std::size_t head = first_difference(kept.text, text);
  const std::size_t tail = same_bytes_at_end(kept.text, text, std::min(kept.text.size(), text.size()) - head);
  const std::size_t old_end = kept.text.size() - tail, new_end = text.size() - tail;
  OldLines old;
  const auto behind = std::upper_bound(kept.begins.begin(), kept.begins.end(), old_end);
  for (auto one = behind; one != kept.begins.end(); ++one) old.begins.push_back(*one - old_end + new_end);
  old.done = kept.done >= old_end ? kept.done - old_end + new_end : 0;
  const auto line = std::upper_bound(kept.begins.begin(), kept.begins.end(), head) - kept.begins.begin();
  kept.begins.resize(static_cast<std::size_t>(std::max<std::ptrdiff_t>(1, line - 2)));
  kept.done = kept.begins.back();
  kept.text = text;
  return old;
}

// Breaks lines until the text ends, the frame has done enough, or the old lines are true again.
void wrap_on(Ui& ui, WrappedText& kept, const OldLines& old) {
  const std::size_t size = kept.text.size();
  const std::size_t end = size > kLongText ? std::min(size, kept.done + kBytesPerFrame) : size;
  kept.done = kept.begins.back();
  Wrapper wrapper(ui, kept);
  std::size_t lines = kept.begins.size();
  while (kept.done < end) {
    kept.done = wrapper.take(kept.done);
    for (; lines < kept.begins.size(); ++lines) {
      const auto same = std::lower_bound(old.begins.begin(), old.begins.end(), kept.begins[lines]);
      if (same == old.begins.end() || *same != kept.begins[lines]) continue;
      kept.begins.resize(lines);
      kept.begins.insert(kept.begins.end(), same, old.begins.end());
      kept.done = old.done;
      lines = kept.begins.size();
      break;
    }
  }
  if (kept.done < size) ui.state.wants_frame = true;
}

}  // namespace

std::size_t first_difference(std::string_view a, std::string_view b) {
  constexpr std::size_t block = 4096;
  const std::size_t most = std::min(a.size(), b.size());
  std::size_t same = 0;
  while (most - same >= block && std::memcmp(a.data() + same, b.data() + same, block) == 0) same += block;
  while (same < most && a[same] == b[same]) ++same;
  return same;
}

const WrappedText& wrapped_lines(Ui& ui, const std::string& name, const std::string& text, float width) {
  WrappedText& kept = ui.state.panels.get<WrappedTexts>().by_name[name];
  const bool same_place = kept.width == width && kept.scale == ui.scale;
  const bool was_long = kept.text.size() > kLongText;
  if (same_place && kept.text == text) {
    if (kept.done < text.size()) wrap_on(ui, kept, {});
    return kept;
  }
  kept.measured = 0;
  OldLines old;
  if (same_place && was_long && text.size() > kLongText) {
    old = take_change(kept, text);
  } else {
    kept.advances.clear();
    kept.text = text;
    kept.width = width;
    kept.scale = ui.scale;
    kept.begins = {0};
    kept.done = 0;
  }
  wrap_on(ui, kept, old);
  return kept;
}

}  // namespace headscope::ui
