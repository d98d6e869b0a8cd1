#include "app/ui/widgets/shown_line.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <span>

#include "app/ui/imgui_compat.h"
#include "app/ui/widgets/font_role.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {

namespace {

constexpr int kPictureWidth = 512, kMostParts = 16;  // of a run that no clip rectangle cuts

// Room around the glyphs of a run: how far they reach above and below the baseline and beyond its ends.
struct Margins {
  int up, down, side;
};
Margins margins_of(float em) {
  return {static_cast<int>(std::ceil(em * 1.6f)), static_cast<int>(std::ceil(em)), static_cast<int>(std::ceil(em / 2))};
}

void forget_lines(ShownLines& known) {
  known.lines.clear();
  known.bytes = 0;
}

// What is on screen stays, so that a frame that holds more than all lines may is not shaped again and again.
void forget_unseen_lines(ShownLines& known) {
  if (known.forgotten_at == known.frame) return;
  known.forgotten_at = known.frame;
  std::erase_if(known.lines, [&](const auto& entry) { return entry.second->frame < known.frame - 1; });
  known.bytes = 0;
  for (const auto& [text, line] : known.lines) known.bytes += line->bytes;
}

std::size_t bytes_of(const ShownLine& line, const std::string& key) {
  constexpr std::size_t kOfEntry = 256;  // of the line, its layout and the table
  return kOfEntry + key.capacity() + line.lefts.capacity() * (sizeof(float) + sizeof(TextRun)) +
         line.graphemes.capacity() * (sizeof(ShownGrapheme) + sizeof(std::size_t) + sizeof(PlacedGrapheme)) +
         line.layout->glyphs.capacity() * sizeof(PlacedGlyph);
}

ShownLines& lines_of(Ui& ui) {
  ShownLines& known = ui.state.panels.get<ShownLines>();
  if (known.frame == ImGui::GetFrameCount()) return known;
  known.frame = ImGui::GetFrameCount();
  if (known.scale != ui.fonts.scale || known.covered != ui.fonts.covered) {
    forget_lines(known);
    known.scale = ui.fonts.scale;
    known.covered = ui.fonts.covered;
  }
  return known;
}

// What is not shaped is as wide as its pieces.
void place_pieces(Ui& ui, Type type, const TextRun& run, ShownLine& line) {
  const std::vector<PlacedGrapheme>& placed = line.layout->graphemes;
  for (std::size_t k = run.first_grapheme; k < run.grapheme_end; ++k) {
    const PlacedGrapheme& grapheme = placed[k];
    const bool whole = run.grapheme_end - run.first_grapheme == 1;  // the only one, which may be mirrored
    const std::string_view drawn =
        whole ? std::string_view(run.plain)
              : std::string_view(run.plain).substr(grapheme.begin - run.begin, grapheme.end - grapheme.begin);
    const float left = line.width;
    line.width += pieces_width(ui, type, drawn);
    line.graphemes.push_back({grapheme.begin, grapheme.end, left, line.width, grapheme.right_to_left});
  }
}

ShownLine laid_out(Ui& ui, Type type, std::string_view s) {
  ShownLine line;
  line.pixels = atlas_em(type, ui.fonts.scale);
  line.layout = text_layout(s, font_role(type), static_cast<double>(line.pixels));
  line.graphemes.reserve(line.layout->graphemes.size());
  for (const TextRun& run : line.layout->runs) {
    line.lefts.push_back(line.width);
    if (!run.shaped) {
      place_pieces(ui, type, run, line);
      continue;
    }
    const float left = line.width;
    for (std::size_t k = run.first_grapheme; k < run.grapheme_end; ++k) {
      const PlacedGrapheme& grapheme = line.layout->graphemes[k];
      line.graphemes.push_back({grapheme.begin, grapheme.end, left + static_cast<float>(grapheme.left - run.left),
                                left + static_cast<float>(grapheme.right - run.left), grapheme.right_to_left});
    }
    line.width += static_cast<float>(run.width);
  }
  line.in_text.resize(line.graphemes.size());
  std::iota(line.in_text.begin(), line.in_text.end(), std::size_t{0});
  std::sort(line.in_text.begin(), line.in_text.end(),
            [&](std::size_t a, std::size_t b) { return line.graphemes[a].begin < line.graphemes[b].begin; });
  return line;
}

// The glyphs of the run that can reach into [from, to] of it. Their pens stand from left to right, but for marks.
std::span<const PlacedGlyph> reaching_glyphs(const ShownLine& line, const TextRun& run, double from, double to) {
  const std::span<const PlacedGlyph> all =
      std::span(line.layout->glyphs).subspan(run.first_glyph, run.glyph_end - run.first_glyph);
  const double reach = 4.0 * static_cast<double>(line.pixels);
  const auto is_near = [&](const PlacedGlyph& glyph) {
    return glyph.x - run.left >= from - reach && glyph.x - run.left <= to + reach;
  };
  const auto first = std::find_if(all.begin(), all.end(), is_near);
  const auto last = std::find_if(all.rbegin(), all.rend(), is_near).base();
  return first < last ? std::span(first, last) : std::span<const PlacedGlyph>();
}

const RunPicture& picture_of(Ui& ui, ShownLine& line, std::size_t run_index, int part) {
  const auto [at, is_new] = line.pictures.try_emplace({run_index, part});
  RunPicture& picture = at->second;
  if (!is_new) return picture;
  const TextRun& run = line.layout->runs[run_index];
  const Margins margins = margins_of(line.pixels);
  const int whole = static_cast<int>(std::ceil(run.width)) + 2 * margins.side;
  const int from = part * kPictureWidth, width = std::clamp(whole - from, 1, kPictureWidth);
  Image image(width, margins.up + margins.down, {0, 0, 0, 255});
  const double x = margins.side - from;
  draw_glyphs(image, reaching_glyphs(line, run, -x, width - x), static_cast<double>(line.pixels), {255, 255, 255, 255},
              {x - run.left, static_cast<double>(margins.up), 0, 0});
  for (Rgba& pixel : image.pixels) pixel = {255, 255, 255, pixel.g};
  ShownLines& known = ui.state.panels.get<ShownLines>();
  const std::size_t bytes = image.pixels.size() * sizeof(Rgba);
  known.bytes += bytes;
  line.bytes += bytes;
  picture.white = std::move(image);
  picture.key = (std::uint64_t{0x736C} << 48) | ++known.next_key;
  return picture;
}

// The parts of the picture that are within the clip rectangle; all of them where it does not count.
void draw_run(Ui& ui, ImVec2 at, const TextStyle& style, ShownLine& line, std::size_t run_index) {
  ImDrawList& list = canvas();
  const Margins margins = margins_of(line.pixels);
  const float size = ui.fonts.pixels[static_cast<int>(style.type)];
  const float top = std::round(at.y + compat::ascent(ui.fonts[style.type], size)) - static_cast<float>(margins.up);
  const float left = std::round(at.x + line.lefts[run_index]) - static_cast<float>(margins.side);
  const int whole = static_cast<int>(std::ceil(line.layout->runs[run_index].width)) + 2 * margins.side;
  int first = 0, last = (whole - 1) / kPictureWidth;
  if (style.all) {
    last = std::min(last, kMostParts);
  } else {
    const auto part_at = [&](float x) { return static_cast<int>(std::floor((x - left) / kPictureWidth)); };
    first = std::max(first, part_at(list.GetClipRectMin().x));
    last = std::min(last, part_at(list.GetClipRectMax().x));
  }
  for (int part = first; part <= last; ++part) {
    const RunPicture& picture = picture_of(ui, line, run_index, part);
    const TextureId id = ui.textures.image(picture.key, 0, picture.white);
    if (id == 0) continue;
    const float x = left + static_cast<float>(part) * kPictureWidth;
    list.AddImage(compat::texture(id), {x, top},
                  {x + static_cast<float>(picture.white.width), top + static_cast<float>(picture.white.height)}, {0, 0},
                  {1, 1}, color32(style.color));
  }
}

}  // namespace

const ShownGrapheme* ShownLine::grapheme_at(std::size_t byte) const {
  const auto after = std::upper_bound(in_text.begin(), in_text.end(), byte,
                                      [&](std::size_t at, std::size_t k) { return at < graphemes[k].begin; });
  return after == in_text.begin() ? nullptr : &graphemes[*std::prev(after)];
}

std::shared_ptr<ShownLine> shown_line(Ui& ui, Type type, std::string_view s) {
  ShownLines& known = lines_of(ui);
  std::string key(s);
  key += static_cast<char>(type);
  const auto found = known.lines.find(key);
  if (found != known.lines.end()) {
    found->second->frame = known.frame;
    return found->second;
  }
  if (known.bytes > kMostShownBytes) forget_unseen_lines(known);
  auto line = std::make_shared<ShownLine>(laid_out(ui, type, s));
  line->frame = known.frame;
  line->bytes = bytes_of(*line, key);
  known.bytes += line->bytes;
  known.lines.emplace(std::move(key), line);
  return line;
}

void draw_shown_line(Ui& ui, ImVec2 at, const TextStyle& style, ShownLine& line) {
  const ImVec2 clip_min = canvas().GetClipRectMin(), clip_max = canvas().GetClipRectMax();
  for (std::size_t k = 0; k < line.lefts.size(); ++k) {
    const float left = at.x + line.lefts[k],
                right = at.x + (k + 1 < line.lefts.size() ? line.lefts[k + 1] : line.width);
    if (!style.all && (right < clip_min.x - line.pixels || left > clip_max.x + line.pixels)) continue;
    if (line.layout->runs[k].shaped) {
      draw_run(ui, at, style, line, k);
    } else {
      draw_pieces(ui, {left, at.y}, style, line.layout->runs[k].plain);
    }
  }
}

}  // namespace headscope::ui
