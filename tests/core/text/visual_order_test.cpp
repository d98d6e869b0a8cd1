// The order of characters on a line. The expected orders are derived by hand from the rules of UAX 9 that stand beside
// them; the standard's own cases run where they are installed.
#include "core/text/visual_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/base/utf8.h"

namespace headscope {
namespace {

constexpr char32_t kLre = 0x202A, kRle = 0x202B, kPdf = 0x202C, kRlo = 0x202E, kLri = 0x2066, kRli = 0x2067,
                   kFsi = 0x2068, kPdi = 0x2069, kRlm = 0x200F;

// Capitals are Hebrew letters, '*' is Arabic beh, '#' the Arabic digit one. What takes no room stands behind a
// backslash.
char32_t behind_backslash(char c) {
  switch (c) {
    case 'l':
      return kLre;
    case 'r':
      return kRle;
    case 'p':
      return kPdf;
    case 'o':
      return kRlo;
    case 'L':
      return kLri;
    case 'R':
      return kRli;
    case 'F':
      return kFsi;
    case 'P':
      return kPdi;
    case 'm':
      return kRlm;
    default:
      ADD_FAILURE() << c;
      return 0;
  }
}

std::u32string typed(const std::string& line) {
  std::u32string text;
  for (std::size_t k = 0; k < line.size(); ++k) {
    const char c = line[k];
    if (c == '\\') {
      text += behind_backslash(line[++k]);
    } else if (c >= 'A' && c <= 'Z') {
      text += static_cast<char32_t>(0x5D0 + (c - 'A'));
    } else if (c == '*') {
      text += U'\u0628';
    } else if (c == '#') {
      text += U'\u0661';
    } else {
      text += static_cast<char32_t>(c);
    }
  }
  return text;
}

// The line as it is seen, without what takes no room; brackets that run from right to left are mirrored.
std::string seen(const std::string& line, LineDirection direction = LineDirection::left_to_right) {
  const std::u32string text = typed(line);
  const std::vector<std::int8_t> levels = embedding_levels(text, direction);
  std::string result;
  for (const std::size_t k : visual_order(levels)) {
    const char32_t c = levels[k] % 2 == 1 ? static_cast<char32_t>(mirrored(text[k])) : text[k];
    if (c >= 0x200E) continue;
    if (c >= 0x5D0 && c <= 0x5EA) {
      result += static_cast<char>('A' + (c - 0x5D0));
    } else {
      result += c == U'\u0628' ? '*' : c == U'\u0661' ? '#' : static_cast<char>(c);
    }
  }
  return result;
}

TEST(VisualOrder, of_what_runs_from_left_to_right_is_the_order_of_the_text) {
  EXPECT_EQ(seen(""), "");
  EXPECT_EQ(seen("one (two) 3."), "one (two) 3.");
  EXPECT_EQ(embedding_levels(U"a\u00e9\u4e2d\u0300 12"), std::vector<std::int8_t>(7, 0));
}

TEST(VisualOrder, letters_and_blanks) {
  EXPECT_EQ(seen("ABC"), "CBA");                  // I1, L2
  EXPECT_EQ(seen("ABC DEF"), "FED CBA");          // N1: the blank stands between R and R
  EXPECT_EQ(seen("abc DEF ghi"), "abc FED ghi");  // N2: blanks between L and R run as the line
  EXPECT_EQ(seen("abc DEF GHI jkl"), "abc IHG FED jkl");
  EXPECT_EQ(seen("ABC."), "CBA.");            // N2 with the end of the line
  EXPECT_EQ(seen("ABC  "), "CBA  ");          // L1: blanks at the end
  EXPECT_EQ(seen("ABC, DEF!"), "FED ,CBA!");  // N1 for ", ", N2 for "!"
}

TEST(VisualOrder, numbers) {
  EXPECT_EQ(seen("ABC 123"), "123 CBA");          // I1: the number stands at level 2; N1: R and EN hold the blank
  EXPECT_EQ(seen("ABC 123 DEF"), "FED 123 CBA");  // N1
  EXPECT_EQ(seen("123 ABC"), "123 CBA");          // W7: a number at the beginning runs as the line
  EXPECT_EQ(seen("ABC 1.5"), "1.5 CBA");          // W4: one separator between two numbers is a part of them
  EXPECT_EQ(seen("ABC 1..5"), "5..1 CBA");        // W6: two are not; N1 turns them
  EXPECT_EQ(seen("ABC 5%"), "5% CBA");            // W5: the sign behind a number is a part of it
  EXPECT_EQ(seen("ABC 1-5"), "1-5 CBA");          // W4: a hyphen is ES
  EXPECT_EQ(seen("* 1-5"), "5-1 *");              // W2 makes AN of EN, W4 knows no ES between two AN
  EXPECT_EQ(seen("* 1,5"), "1,5 *");              // W4: a comma is CS, also between two AN
  EXPECT_EQ(seen("a 12 B 34"), "a 12 34 B");      // W7 for 12, which follows a letter from left to right
  EXPECT_EQ(seen("#"), "#");
  EXPECT_EQ(seen("A#"), "#A");  // AN stands at level 2
}

TEST(VisualOrder, brackets) {
  EXPECT_EQ(seen("A(B)C"), "C(B)A");                    // N0 b: R within, as around; mirrored by L4
  EXPECT_EQ(seen("a(B)c"), "a(B)c");                    // N0 c 2: R within, L before: as the line
  EXPECT_EQ(seen("A (b) C"), "A (b) C");                // N0 b: L within is the line's own direction, so is the pair
  EXPECT_EQ(seen("ABC (12) DEF"), "FED (12) CBA");      // N0: numbers count as R; R stands before
  EXPECT_EQ(seen("AB(CD[&ef]!)gh"), "BA(DC[&ef]!)gh");  // N0 b: both pairs hold L
  EXPECT_EQ(seen("A(B"), "B)A");                        // no pair: N1
}

TEST(VisualOrder, marks_follow_their_letter) {
  // W1: a mark has the type of the letter before it; both stand at level 1.
  EXPECT_EQ(embedding_levels(U"a\u05d0\u05b8\u05d1"), (std::vector<std::int8_t>{0, 1, 1, 1}));
}

TEST(VisualOrder, embeddings_overrides_and_isolates) {
  EXPECT_EQ(seen("\\oabc\\p"), "cba");              // X4: everything within runs from right to left
  EXPECT_EQ(seen("a \\rb C d\\p e"), "a d C b e");  // X2: level 1 around letters of level 2
  EXPECT_EQ(seen("A \\LB\\P C"), "C B A");          // X5b: the isolate is a neutral between A and C
  EXPECT_EQ(seen("a \\RB 1\\P 2"), "a 1 B 2");      // 2 does not see B
  EXPECT_EQ(seen("a \\FB 1\\P 2"), "a 1 B 2");      // X5c: FSI finds R
  EXPECT_EQ(seen("A\\FB c\\P"), "Ac B");            // N2 for the isolate at the end of the line
  EXPECT_EQ(seen("AB \\m!"), " BA!");               // N1 for the blank before RLM, N2 for "!"
  EXPECT_EQ(seen("AB!\\m"), "!BA");                 // N1: RLM makes the sign stand behind the letters
  EXPECT_EQ(seen("A\\P\\PB\\R\\R"), "BA");          // without partner
}

TEST(VisualOrder, direction_of_the_paragraph) {
  EXPECT_EQ(seen("abc.", LineDirection::right_to_left), ".abc");
  EXPECT_EQ(seen("ABC.", LineDirection::from_text), ".CBA");  // P2, P3
  EXPECT_EQ(seen("- abc D.", LineDirection::from_text), "- abc D.");
  EXPECT_EQ(seen("1 ABC", LineDirection::from_text), "CBA 1");  // a number has no strong direction
  EXPECT_EQ(seen("123.", LineDirection::from_text), "123.");
  EXPECT_EQ(seen("abc DEF", LineDirection::right_to_left), "FED abc");
}

TEST(VisualOrder, paragraphs_are_resolved_one_by_one) {
  EXPECT_EQ(seen("ABC\n12"), "CBA\n12");  // 12 does not see the letters before the line feed
  EXPECT_EQ(seen("\\rAB 1\nAB 1"), "1 BA\n1 BA");
}

TEST(VisualOrder, survives_what_nobody_writes) {
  const std::vector<std::string> parts = {"A",  "(",   "[A", "\\R",  "\\P",  "\\r", "\\o",
                                          "Aa", "A1 ", "\n", "A(b[", "\\LA", "\\FA"};
  for (const std::string& part : parts) {
    std::string line;
    for (int k = 0; k < 100000; ++k) line += part;
    const std::u32string text = typed(line);
    const std::vector<std::int8_t> levels = embedding_levels(text);
    ASSERT_EQ(levels.size(), text.size());
    ASSERT_EQ(visual_order(levels).size(), text.size());
  }
  // Code points that are none.
  EXPECT_EQ(embedding_levels(std::u32string{0xD800, 0x5D0, 0x7FFFFFFF}).size(), 3U);
}

// ---- the files of the Unicode standard, where Debian's package unicode-data is installed

constexpr const char* kUnicodeFolder = "/usr/share/unicode/";
constexpr const char* kSkipped = "is not installed: sudo apt-get install unicode-data";

std::vector<std::string> split(const std::string& text, char by) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(by, begin), text.size());
    if (by != ' ' || end > begin) parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

// "x" for a character that rule X9 removes: whatever its level.
void expect_levels(const std::u32string& text, LineDirection direction, const std::vector<std::string>& expected,
                   const std::vector<std::string>& order, const std::string& line) {
  const std::vector<std::int8_t> levels = embedding_levels(text, direction);
  ASSERT_EQ(levels.size(), expected.size()) << line;
  for (std::size_t k = 0; k < levels.size(); ++k) {
    if (expected[k] == "x") continue;
    ASSERT_EQ(std::to_string(levels[k]), expected[k]) << k << " of " << line;
  }
  std::vector<std::string> found;
  for (const std::size_t k : visual_order(levels)) {
    if (expected[k] != "x") found.push_back(std::to_string(k));
  }
  ASSERT_EQ(found, order) << line;
}

TEST(VisualOrder, agrees_with_every_line_of_BidiCharacterTest) {
  std::ifstream file(std::string(kUnicodeFolder) + "BidiCharacterTest.txt");
  if (!file) GTEST_SKIP() << kUnicodeFolder << "BidiCharacterTest.txt " << kSkipped;
  int count = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    const std::vector<std::string> fields = split(line, ';');
    ASSERT_GE(fields.size(), 4U) << line;
    std::u32string text;
    for (const std::string& code : split(fields[0], ' ')) text += static_cast<char32_t>(std::stoul(code, nullptr, 16));
    constexpr LineDirection kDirections[] = {LineDirection::left_to_right, LineDirection::right_to_left,
                                             LineDirection::from_text};
    const LineDirection direction = kDirections[std::stoul(fields[1])];
    expect_levels(text, direction, split(fields[3], ' '),
                  fields.size() > 4 ? split(fields[4], ' ') : std::vector<std::string>{}, line);
    if (HasFatalFailure()) return;
    ++count;
  }
  EXPECT_GT(count, 90000);
}

// A character of each class.
char32_t character_of(const std::string& bidi_class) {
  static const std::map<std::string, char32_t> characters = {
      {"L", U'a'},     {"R", 0x5D0},    {"AL", 0x628},   {"EN", U'1'},    {"ES", U'-'},    {"ET", U'%'},
      {"AN", 0x661},   {"CS", U','},    {"NSM", 0x300},  {"BN", 0xAD},    {"B", 0x2029},   {"S", U'\t'},
      {"WS", U' '},    {"ON", U'!'},    {"LRE", 0x202A}, {"RLE", 0x202B}, {"PDF", 0x202C}, {"LRO", 0x202D},
      {"RLO", 0x202E}, {"LRI", 0x2066}, {"RLI", 0x2067}, {"FSI", 0x2068}, {"PDI", 0x2069}};
  if (const auto found = characters.find(bidi_class); found != characters.end()) return found->second;
  return 0;
}

TEST(VisualOrder, agrees_with_every_line_of_BidiTest) {
  std::ifstream file(std::string(kUnicodeFolder) + "BidiTest.txt");
  if (!file) GTEST_SKIP() << kUnicodeFolder << "BidiTest.txt " << kSkipped;
  std::vector<std::string> levels, order;
  int count = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    if (line.starts_with("@Levels:")) {
      levels = split(line.substr(8), ' ');
      for (std::string& level : levels) {
        if (level.starts_with('\t')) level.erase(0, 1);
      }
    } else if (line.starts_with("@Reorder:")) {
      order = split(line.substr(line.find('\t') == std::string::npos ? 9 : line.find('\t') + 1), ' ');
    } else if (!line.starts_with('@')) {
      const std::vector<std::string> fields = split(line, ';');
      ASSERT_EQ(fields.size(), 2U) << line;
      std::u32string text;
      for (const std::string& name : split(fields[0], ' ')) {
        text += character_of(name);
        ASSERT_NE(text.back(), 0U) << name;
      }
      const unsigned long asked = std::stoul(fields[1], nullptr, 16);
      for (const auto& [bit, direction] :
           {std::pair{1UL, LineDirection::from_text}, std::pair{2UL, LineDirection::left_to_right},
            std::pair{4UL, LineDirection::right_to_left}}) {
        if ((asked & bit) == 0) continue;
        expect_levels(text, direction, levels, order, line);
        if (HasFatalFailure()) return;
        ++count;
      }
    }
  }
  EXPECT_GT(count, 700000);
}

TEST(Isolated, KeepsTheOrderOfWhatStandsAroundIt) {
  EXPECT_EQ(isolated("it"), "it");
  EXPECT_EQ(isolated(""), "");
  EXPECT_EQ(isolated("12.5 ñ 猫"), "12.5 ñ 猫") << "nothing that turns a line";
  EXPECT_EQ(isolated("אב"), "\u2068אב\u2069");
  EXPECT_EQ(isolated("\u2067ab"), "\u2068\u2067ab\u2069\u2069") << "closes what the text leaves open";
  EXPECT_EQ(isolated("a\u2069ב"), "\u2068a\u2069\u2068ב\u2069") << "an end that the text did not open";
  // "AB → CD .9": the query first, the key second, the number last; each word from right to left.
  const auto seen = [](const std::string& line) {
    std::u32string points;
    for (std::size_t at = 0; at < line.size();) {
      const CodePoint point = code_point_at(line, at);
      points.push_back(static_cast<char32_t>(point.value));
      at += static_cast<std::size_t>(point.bytes);
    }
    std::string result;
    for (const std::size_t k : visual_order(embedding_levels(points))) {
      if (points[k] < 0x2066 || points[k] > 0x2069) append_utf8(result, points[k]);
    }
    return result;
  };
  EXPECT_EQ(seen("אב → גד .9"), "9. דג → בא") << "turned round without isolates";
  EXPECT_EQ(seen(isolated("אב") + " → " + isolated("גד") + " .9"), "בא → דג .9");
}

}  // namespace
}  // namespace headscope
