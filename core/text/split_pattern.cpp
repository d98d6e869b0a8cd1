#define PCRE2_CODE_UNIT_WIDTH 8
#include "core/text/split_pattern.h"

#include <fmt/format.h>
#include <pcre2.h>

#include <algorithm>
#include <array>
#include <new>

#include "core/base/error.h"

namespace headscope {

namespace {

constexpr std::size_t kLongestPattern = 20'000;
constexpr const char* kBlank =
    R"(\x{9}-\x{D}\x{20}\x{85}\x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000})";
// Circled letters are alphabetic without being letters.
constexpr const char* kWord =
    R"(\p{L}\p{M}\p{Nl}\p{Nd}\p{Pc}\x{24B6}-\x{24E9}\x{1F130}-\x{1F149}\x{1F150}-\x{1F169}\x{1F170}-\x{1F189})";

struct FreeCode {
  void operator()(pcre2_code* code) const { pcre2_code_free(code); }
};
struct FreeMatch {
  void operator()(pcre2_match_data* data) const { pcre2_match_data_free(data); }
};
struct FreeContext {
  void operator()(pcre2_match_context* context) const { pcre2_match_context_free(context); }
};

std::string pcre_message(int code) {
  std::array<PCRE2_UCHAR, 256> buffer{};
  pcre2_get_error_message(code, buffer.data(), buffer.size());
  return reinterpret_cast<const char*>(buffer.data());
}

}  // namespace

const char* const kGpt2Pattern = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

const char* const kQwen2Pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

struct SplitPattern::Code {
  std::unique_ptr<pcre2_code, FreeCode> pattern;
};

std::string with_unicode_classes(std::string_view pattern, const std::string& what) {
  std::string result;
  bool in_class = false;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    const char c = pattern[at];
    if (c == '\\' && at + 1 < pattern.size()) {
      const char escaped = pattern[++at];
      if (escaped == 's') {
        result += in_class ? kBlank : fmt::format("[{}]", kBlank);
      } else if (escaped == 'w') {
        result += in_class ? kWord : fmt::format("[{}]", kWord);
      } else if ((escaped == 'S' || escaped == 'W') && !in_class) {
        result += fmt::format("[^{}]", escaped == 'S' ? kBlank : kWord);
      } else {
        result.push_back(c);
        result.push_back(escaped);
      }
      continue;
    }
    result.push_back(c);
    if (!in_class && c == '[') {
      in_class = true;
      if (pattern.substr(at + 1).starts_with('^')) result.push_back(pattern[++at]);
      if (pattern.substr(at + 1).starts_with(']')) result.push_back(pattern[++at]);
    } else if (in_class && c == ']') {
      in_class = false;
    } else if (in_class && (c == '[' || pattern.substr(at).starts_with("&&"))) {
      throw Error(what + ": found a set inside a set of characters, or '&&'; expected plain sets, as [^\\r\\n\\p{L}]");
    }
  }
  return result;
}

SplitPattern::SplitPattern(const std::string& pattern, const std::string& what) : what_(what) {
  if (pattern.size() > kLongestPattern) {
    throw Error(
        fmt::format("{}: found a pattern of {} bytes; expected at most {}", what, pattern.size(), kLongestPattern));
  }
  const std::string spelled = with_unicode_classes(pattern, what);
  int error = 0;
  PCRE2_SIZE at = 0;
  auto code = std::make_shared<Code>();
  code->pattern.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(spelled.data()), spelled.size(),
                                    PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C | PCRE2_NO_AUTO_CAPTURE, &error,
                                    &at, nullptr));
  if (code->pattern == nullptr) {
    throw Error(fmt::format("{}: found a regular expression that is not understood: {}", what, pcre_message(error)));
  }
  code_ = std::move(code);
}

void SplitPattern::find(std::string_view text, std::size_t begin, std::size_t end, std::vector<Match>& matches) const {
  matches.clear();
  const std::string_view subject = text.substr(begin, end - begin);
  const std::unique_ptr<pcre2_match_data, FreeMatch> data(pcre2_match_data_create(1, nullptr));
  const std::unique_ptr<pcre2_match_context, FreeContext> context(pcre2_match_context_create(nullptr));
  if (data == nullptr || context == nullptr) throw std::bad_alloc();
  pcre2_set_heap_limit(context.get(), 256 * 1024);  // KiB

  // Each position is tried with few steps first, then with more: what was spent is then known within a factor.
  constexpr std::uint32_t few = 1000, factor = 8;
  double left = 100.0 * static_cast<double>(subject.size()) + 1e7;
  std::uint32_t limit = few;
  pcre2_set_match_limit(context.get(), limit);
  for (std::size_t at = 0; at < subject.size();) {
    int found = PCRE2_ERROR_MATCHLIMIT;
    while (true) {
      found = pcre2_match(code_->pattern.get(), reinterpret_cast<PCRE2_SPTR>(subject.data()), subject.size(), at,
                          PCRE2_ANCHORED | PCRE2_NO_UTF_CHECK | PCRE2_NOTEMPTY, data.get(), context.get());
      if (limit > few || found == PCRE2_ERROR_MATCHLIMIT) left -= limit;
      if (found != PCRE2_ERROR_MATCHLIMIT || left <= 0) break;
      limit *= factor;
      pcre2_set_match_limit(context.get(), limit);
    }
    if (limit != few) {
      limit = few;
      pcre2_set_match_limit(context.get(), limit);
    }
    const auto step = static_cast<std::size_t>(code_point_at(subject, at).bytes);
    if (found == PCRE2_ERROR_NOMATCH) {
      at += step;
      continue;
    }
    if (found < 0) {
      throw Error(fmt::format("{}: the regular expression gave up at byte {} of the text: {}", what_, begin + at,
                              pcre_message(found)));
    }
    const PCRE2_SIZE* const range = pcre2_get_ovector_pointer(data.get());
    // \K can move a match's beginning; what stands before `at` belongs to another match already.
    const std::size_t match_begin = std::max(range[0], at), match_end = std::max(range[1], match_begin);
    if (match_end > match_begin) matches.push_back({begin + match_begin, begin + match_end});
    at = match_end > at ? match_end : at + step;
  }
}

}  // namespace headscope
