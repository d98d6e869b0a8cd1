#include "core/picture/text/text_fonts.h"

#include <fontconfig/fontconfig.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <system_error>
#include <utility>
#include <vector>

#include "core/base/held_errors.h"
#include "core/base/system/machine.h"
#include "core/picture/text/built_in_font.h"
#include "core/picture/text/font_configuration.h"

namespace headscope {

namespace {

struct PatternDeleter {
  void operator()(FcPattern* pattern) const { FcPatternDestroy(pattern); }
};
struct FontSetDeleter {
  void operator()(FcFontSet* set) const { FcFontSetDestroy(set); }
};
struct ConfigDeleter {
  void operator()(FcConfig* config) const { FcConfigDestroy(config); }
};
using Config = std::unique_ptr<FcConfig, ConfigDeleter>;
using Pattern = std::unique_ptr<FcPattern, PatternDeleter>;
using FontSet = std::unique_ptr<FcFontSet, FontSetDeleter>;

bool is_bold(FontRole role) {
  return role == FontRole::words_bold || role == FontRole::numbers_bold;
}
bool is_mono(FontRole role) {
  return role == FontRole::numbers || role == FontRole::numbers_bold;
}

const FcChar8* fc_text(const char* text) {
  return reinterpret_cast<const FcChar8*>(text);
}

// The family that the visual system asks for, then the system's choice of its kind; upright, with outlines, one colour.
Pattern wanted(FcConfig* config, FontRole role) {
  Pattern pattern(FcPatternCreate());
  FcPatternAddString(pattern.get(), FC_FAMILY, fc_text(is_mono(role) ? "JetBrains Mono" : "Inter"));
  FcPatternAddString(pattern.get(), FC_FAMILY, fc_text(is_mono(role) ? "monospace" : "sans-serif"));
  FcPatternAddInteger(pattern.get(), FC_WEIGHT, is_bold(role) ? FC_WEIGHT_DEMIBOLD : FC_WEIGHT_REGULAR);
  FcPatternAddInteger(pattern.get(), FC_SLANT, FC_SLANT_ROMAN);
  FcPatternAddBool(pattern.get(), FC_SCALABLE, FcTrue);
  FcPatternAddBool(pattern.get(), FC_OUTLINE, FcTrue);
  FcPatternAddBool(pattern.get(), FC_COLOR, FcFalse);
  FcPatternAddBool(pattern.get(), FC_VARIABLE, FcFalse);
  FcConfigSubstitute(config, pattern.get(), FcMatchPattern);
  FcDefaultSubstitute(pattern.get());
  return pattern;
}

bool flag(FcPattern* pattern, const char* object, bool otherwise) {
  FcBool value = FcFalse;
  return FcPatternGetBool(pattern, object, 0, &value) == FcResultMatch ? value == FcTrue : otherwise;
}

// Bitmap fonts (emoji in colour are such) cannot be tinted or scaled.
bool is_drawable(FcPattern* pattern) {
  return flag(pattern, FC_SCALABLE, true) && !flag(pattern, FC_COLOR, false);
}

FontFile file_of(FcPattern* pattern) {
  FcChar8* path = nullptr;
  int index = 0;
  if (FcPatternGetString(pattern, FC_FILE, 0, &path) != FcResultMatch || path == nullptr) return {};
  FcPatternGetInteger(pattern, FC_INDEX, 0, &index);
  return {reinterpret_cast<const char*>(path), index};
}

// All drawable fonts, nearest to the role first, with what each of them covers.
struct Fonts {
  FontSet set;  // owns the character sets
  std::vector<std::pair<FontFile, const FcCharSet*>> candidates;
};

Fonts sorted_fonts(FcConfig* config, FontRole role) {
  const Pattern pattern = wanted(config, role);
  FcResult result = FcResultMatch;
  Fonts fonts;
  fonts.set.reset(FcFontSort(config, pattern.get(), FcFalse, nullptr, &result));
  if (!fonts.set) return fonts;
  for (int i = 0; i < fonts.set->nfont; ++i) {
    FcPattern* font = fonts.set->fonts[i];
    FcCharSet* covered = nullptr;
    FontFile file = file_of(font);
    if (file.path.empty() || !is_drawable(font)) continue;
    if (FcPatternGetCharSet(font, FC_CHARSET, 0, &covered) != FcResultMatch) continue;
    fonts.candidates.emplace_back(std::move(file), covered);
  }
  return fonts;
}

// Who packs the program for machines of others lays its fonts beside it: they need not be installed there.
void add_packed_fonts(FcConfig* config) {
  const std::filesystem::path program = system::program_path();
  const std::filesystem::path folder = program.parent_path().parent_path() / "share/headscope/fonts";
  std::error_code error;
  if (!program.empty() && std::filesystem::is_directory(folder, error)) {
    FcConfigAppFontAddDir(config, fc_text(folder.string().c_str()));
  }
}

// The installed fonts do not change while the program runs, and asking for them takes tens of milliseconds: found
// once, on the first use of a role, and read-only from then on.
FcConfig* load_config() {
  const HeldErrors held;
  const char* const own = font_configuration();
  Config config(own == nullptr ? FcInitLoadConfigAndFonts() : FcConfigCreate());
  if (!config) return nullptr;
  if (own != nullptr) {
    if (!FcConfigParseAndLoadFromMemory(config.get(), fc_text(own), FcTrue)) return nullptr;
    FcConfigBuildFonts(config.get());
  }
  add_packed_fonts(config.get());
  return config.release();
}

struct KnownFonts {
  std::mutex mutex;
  Config config{load_config()};  // our own, so that it is freed at the end
  std::array<std::unique_ptr<const Fonts>, 4> of_role;
};

const Fonts& fonts_of(FontRole role) {
  static KnownFonts known;
  const std::lock_guard lock(known.mutex);
  auto& fonts = known.of_role.at(static_cast<std::size_t>(role));
  if (!fonts) fonts = std::make_unique<const Fonts>(known.config ? sorted_fonts(known.config.get(), role) : Fonts{});
  return *fonts;
}

}  // namespace

FontFile font_file(FontRole role) {
  const Fonts& fonts = fonts_of(role);
  return fonts.candidates.empty() ? FontFile{built_in_font_path(), 0} : fonts.candidates.front().first;
}

bool draws_with_built_in_font() {
  const std::string& path = built_in_font_path();
  return !path.empty() && font_file(FontRole::words).path == path;
}

FontFile fallback_font_file(std::uint32_t code_point, FontRole role) {
  const char32_t one = code_point;
  return fallback_font_file(std::u32string_view(&one, 1), role);
}

FontFile fallback_font_file(std::u32string_view code_points, FontRole role) {
  for (const auto& [file, covered] : fonts_of(role).candidates) {
    const auto has = [set = covered](char32_t code_point) { return FcCharSetHasChar(set, code_point) == FcTrue; };
    if (std::all_of(code_points.begin(), code_points.end(), has)) return file;
  }
  return {};
}

}  // namespace headscope
