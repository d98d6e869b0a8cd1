// A line of any bytes is laid out: every grapheme stands once, runs follow each other, and drawing stays in the
// picture.
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/utf8.h"
#include "core/picture/text/text.h"
#include "core/picture/text/text_layout.h"
#include "tests/fuzz/fuzz.h"

using namespace headscope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::as_text(data, size);
  const auto layout = text_layout(text, FontRole::words, 16);
  double x = 0;
  for (const TextRun& run : layout->runs) {
    fuzz::require(std::abs(run.left - x) < 1e-3 && run.width > -1e-6, "runs follow each other");
    x += run.width;
    for (std::size_t k = run.first_grapheme; k < run.grapheme_end; ++k) {
      const PlacedGrapheme& grapheme = layout->graphemes[k];
      fuzz::require(grapheme.begin >= run.begin && grapheme.end <= run.end, "a grapheme lies in its run");
      fuzz::require(grapheme.left <= grapheme.right + 1e-6, "a grapheme has no negative width");
    }
  }
  std::vector<PlacedGrapheme> graphemes = layout->graphemes;
  std::sort(graphemes.begin(), graphemes.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
  std::size_t at = 0;
  for (const PlacedGrapheme& grapheme : graphemes) {
    fuzz::require(grapheme.begin == at && grapheme.end == next_grapheme(text, at), "every grapheme stands once");
    at = grapheme.end;
  }
  fuzz::require(at == size, "no grapheme is missing");
  Image image(64, 32, {0, 0, 0, 255});
  draw_text(image, {2, 20}, text, FontRole::numbers, 12, {255, 255, 255, 255});
  const std::string fit = fit_text(text, FontRole::words, 12, 60);
  fuzz::require(text_width(fit, FontRole::words, 12) <= 60 + 1e-6, "what fits is no wider than its room");
  return 0;
}
