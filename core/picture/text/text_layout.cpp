#include "core/picture/text/text_layout.h"

#include <hb.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <unordered_map>
#include <utility>

#include "core/base/per_thread.h"
#include "core/base/utf8.h"
#include "core/picture/text/text_stretches.h"
#include "core/text/visual_order.h"

namespace headscope {

namespace {

struct BufferDeleter {
  void operator()(hb_buffer_t* buffer) const { hb_buffer_destroy(buffer); }
};

// Latin letters under marks look like the letters beside them, which have no kerning and no ligatures.
void shape(hb_font_t* font, hb_buffer_t* buffer, bool plain_script) {
  static const std::array<hb_feature_t, 4> off = [] {
    std::array<hb_feature_t, 4> features{};
    constexpr std::array<hb_tag_t, 4> tags = {HB_TAG('k', 'e', 'r', 'n'), HB_TAG('l', 'i', 'g', 'a'),
                                              HB_TAG('c', 'l', 'i', 'g'), HB_TAG('c', 'a', 'l', 't')};
    for (std::size_t k = 0; k < tags.size(); ++k) {
      features.at(k) = {tags.at(k), 0, HB_FEATURE_GLOBAL_START, HB_FEATURE_GLOBAL_END};
    }
    return features;
  }();
  hb_shape(font, buffer, plain_script ? off.data() : nullptr, plain_script ? static_cast<unsigned>(off.size()) : 0);
}

class Layouter {
 public:
  Layouter(std::string_view utf8, FontRole role, double pixel_size)
      : utf8_(utf8), role_(role), pixel_size_(pixel_size), line_(utf8), graphemes_(graphemes_of(utf8, line_, role)) {}

  TextLayout lay_out() {
    const std::vector<LineStretch> stretches = stretches_of(graphemes_);
    std::vector<std::int8_t> levels;
    levels.reserve(stretches.size());
    for (const LineStretch& stretch : stretches) levels.push_back(graphemes_[stretch.first].level);
    layout_.graphemes.reserve(graphemes_.size());
    for (const std::size_t k : visual_order(levels)) add(stretches[k]);
    return std::move(layout_);
  }

 private:
  void add(const LineStretch& stretch) {
    const LineGrapheme &first = graphemes_[stretch.first], &last = graphemes_[stretch.end - 1];
    TextRun run;
    run.begin = line_.bytes[first.first];
    run.end = line_.bytes[last.end];
    run.right_to_left = first.level % 2 == 1;
    run.shaped = first.face >= 0;
    run.left = layout_.width;
    run.first_glyph = layout_.glyphs.size();
    run.first_grapheme = layout_.graphemes.size();
    if (run.shaped) {
      add_shaped(stretch, run.right_to_left);
    } else {
      run.plain = plain_text(stretch, run);
      add_plain(stretch, run);
    }
    run.width = layout_.width - run.left;
    run.glyph_end = layout_.glyphs.size();
    run.grapheme_end = layout_.graphemes.size();
    layout_.runs.push_back(std::move(run));
  }

  std::string plain_text(const LineStretch& stretch, const TextRun& run) const {
    const LineGrapheme& first = graphemes_[stretch.first];
    const std::uint32_t point = line_.points[first.first], other = mirrored(point);
    if (!run.right_to_left || other == point || first.end - first.first != 1) {
      return std::string(utf8_.substr(run.begin, run.end - run.begin));
    }
    std::string result;
    append_utf8(result, other);
    return result;
  }

  void add_plain(const LineStretch& stretch, const TextRun& run) {
    for (std::size_t k = stretch.first; k < stretch.end; ++k) {
      const double left = layout_.width;
      for (std::size_t point = graphemes_[k].first; point < graphemes_[k].end; ++point) {
        std::uint32_t code_point = line_.points[point];
        if (run.right_to_left && graphemes_[k].end - graphemes_[k].first == 1) code_point = mirrored(code_point);
        const GlyphId glyph = glyph_of(code_point, role_);
        if (glyph.kind != GlyphId::Kind::nothing) layout_.glyphs.push_back({glyph, layout_.width, 0});
        layout_.width += glyph_advance(glyph, pixel_size_);
      }
      add_grapheme(k, left, layout_.width);
    }
  }

  void add_grapheme(std::size_t k, double left, double right) {
    const LineGrapheme& grapheme = graphemes_[k];
    layout_.graphemes.push_back(
        {line_.bytes[grapheme.first], line_.bytes[grapheme.end], left, right, grapheme.level % 2 == 1});
  }

  void add_shaped(const LineStretch& stretch, bool right_to_left) {
    const LineGrapheme &first = graphemes_[stretch.first], &last = graphemes_[stretch.end - 1];
    hb_font_t* font = shaping_font(first.face);
    hb_buffer_clear_contents(buffer_.get());
    // The whole line, since letters join over the ends of a run.
    hb_buffer_add_utf32(buffer_.get(), reinterpret_cast<const std::uint32_t*>(line_.points.data()),
                        static_cast<int>(line_.points.size()), static_cast<unsigned>(first.first),
                        static_cast<int>(last.end - first.first));
    hb_buffer_set_direction(buffer_.get(), right_to_left ? HB_DIRECTION_RTL : HB_DIRECTION_LTR);
    hb_buffer_set_script(buffer_.get(), first.script);
    // The same glyphs whatever language the system speaks.
    hb_buffer_set_language(buffer_.get(), hb_language_from_string("und", -1));
    shape(font, buffer_.get(), is_plain_script(first.script));

    unsigned count = 0;
    const hb_glyph_info_t* infos = hb_buffer_get_glyph_infos(buffer_.get(), &count);
    const hb_glyph_position_t* places = hb_buffer_get_glyph_positions(buffer_.get(), &count);
    const double unit = pixels_of(pixel_size_) / std::max(1U, hb_face_get_upem(hb_font_get_face(font)));
    std::vector<Cluster> clusters;
    for (unsigned k = 0; k < count; ++k) {
      if (clusters.empty() || clusters.back().first != infos[k].cluster) {
        clusters.push_back({infos[k].cluster, layout_.width, layout_.width});
      }
      layout_.glyphs.push_back({{GlyphId::Kind::outline, first.face, infos[k].codepoint},
                                layout_.width + places[k].x_offset * unit,
                                -places[k].y_offset * unit});
      layout_.width += places[k].x_advance * unit;
      clusters.back().right = layout_.width;
    }
    place_graphemes(stretch, right_to_left, std::move(clusters));
  }

  // Glyphs that belong together, of the code points from `first` to the next cluster's.
  struct Cluster {
    std::size_t first = 0;
    double left = 0, right = 0;
  };

  // The graphemes that begin in a cluster share its width; a cluster in which none begins is a part of the last one.
  void place_graphemes(const LineStretch& stretch, bool right_to_left, std::vector<Cluster> clusters) {
    if (right_to_left) std::reverse(clusters.begin(), clusters.end());
    std::vector<std::pair<double, double>> places;  // in the order of the text
    std::size_t k = stretch.first;
    for (std::size_t c = 0; c < clusters.size(); ++c) {
      const Cluster& cluster = clusters[c];
      const std::size_t end = c + 1 < clusters.size() ? clusters[c + 1].first : line_.points.size();
      const std::size_t begin = k;
      while (k < stretch.end && graphemes_[k].first < end) ++k;
      if (k == begin && !places.empty()) {
        places.back().first = std::min(places.back().first, cluster.left);
        places.back().second = std::max(places.back().second, cluster.right);
      }
      const double share = (cluster.right - cluster.left) / static_cast<double>(std::max<std::size_t>(1, k - begin));
      for (std::size_t i = 0; i < k - begin; ++i) {
        const double from = static_cast<double>(i) * share, to = static_cast<double>(i + 1) * share;
        if (right_to_left) {
          places.emplace_back(cluster.right - to, cluster.right - from);
        } else {
          places.emplace_back(cluster.left + from, cluster.left + to);
        }
      }
    }
    for (; k < stretch.end; ++k) places.emplace_back(layout_.width, layout_.width);
    const std::size_t count = stretch.end - stretch.first;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t seen = right_to_left ? count - 1 - i : i;
      add_grapheme(stretch.first + seen, places[seen].first, places[seen].second);
    }
  }

  std::string_view utf8_;
  FontRole role_;
  double pixel_size_;
  LineCharacters line_;
  std::vector<LineGrapheme> graphemes_;
  std::unique_ptr<hb_buffer_t, BufferDeleter> buffer_{hb_buffer_create()};
  TextLayout layout_;
};

// What the lines of a screen of 3840 x 2160 take that is full of letters 8 px wide: 90 lines of 480 letters, each a
// grapheme, a glyph and its share of key and runs, are 4 MB. Twice that keeps the last screen beside this one.
constexpr std::size_t kMostLayoutBytes = std::size_t{8} << 20;

// About what it holds.
std::size_t bytes_of(const TextLayout& layout) {
  std::size_t bytes = sizeof(layout) + layout.graphemes.capacity() * sizeof(PlacedGrapheme) +
                      layout.glyphs.capacity() * sizeof(PlacedGlyph) + layout.runs.capacity() * sizeof(TextRun);
  for (const TextRun& run : layout.runs) bytes += run.plain.capacity();
  return bytes;
}

// The lines that were asked for lately.
struct KnownLayouts {
  std::unordered_map<std::string, std::shared_ptr<const TextLayout>> layouts;
  std::size_t bytes = 0;
};

}  // namespace

std::shared_ptr<const TextLayout> text_layout(std::string_view utf8, FontRole role, double pixel_size) {
  static PerThread<KnownLayouts> known_layouts;
  KnownLayouts& known = known_layouts.get();
  std::string key(utf8);
  key += static_cast<char>(role);
  key += std::to_string(pixels_of(pixel_size));
  const auto found = known.layouts.find(key);
  if (found != known.layouts.end()) return found->second;
  auto layout = std::make_shared<const TextLayout>(Layouter(utf8, role, pixel_size).lay_out());
  constexpr std::size_t kOfEntry = 128;  // of the table itself
  const std::size_t bytes = bytes_of(*layout) + key.capacity() + kOfEntry;
  if (known.bytes + bytes > kMostLayoutBytes) {
    known.layouts.clear();
    known.bytes = 0;
  }
  known.bytes += bytes;
  known.layouts.emplace(std::move(key), layout);
  return layout;
}

}  // namespace headscope
