#include "app/gl/gl_texture_store.h"

#include <epoxy/gl.h>

#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "app/gl/gl_state.h"
#include "app/gl/heatmap_program.h"
#include "app/gl/shared_picture.h"
#include "core/base/error.h"

namespace headscope {
namespace {

// A picture that was not asked for in this many frames is let go, and with it the matrix that it holds.
constexpr std::int64_t kFramesKept = 2;
// Bytes of textures of pictures that are gone, kept for the next picture of the same size: typing makes the same sizes
// anew. While the window is resized, old sizes make room.
constexpr std::int64_t kSpareBytes = 48 << 20;
// Numbers that are computed for a texture of all of a matrix; of a larger one only what is seen is computed.
constexpr std::int64_t kMostComputed = 16 << 20;

std::size_t hash_of_picture(const HeatmapSpec& spec) {
  std::size_t hash = 0;
  const auto add = [&hash](auto value) {
    hash ^= std::hash<decltype(value)>()(value) + 0x9e3779b97f4a7c15ULL + (hash << 6) + (hash >> 2);
  };
  add(spec.matrix.storage());
  add(spec.row0);
  add(spec.column0);
  add(spec.rows);
  add(spec.columns);
  add(spec.width);
  add(spec.height);
  add(spec.range.low);
  add(spec.range.high);
  add(static_cast<int>(spec.map));
  return hash;
}

struct Picture {
  HeatmapSpec spec;
  HeatmapInputs inputs;  // empty when the processor drew it
  std::unique_ptr<GlTexture> texture;
  std::int64_t last_frame = 0;
};

struct PlainImage {
  std::uint64_t version = 0;
  std::unique_ptr<GlTexture> texture;
  std::int64_t last_frame = 0;
};

class Store : public GlTextureStore {
 public:
  explicit Store(HeatmapDrawer painter) : painter_(painter) {
    try {
      program_ = std::make_unique<HeatmapProgram>();
    } catch (const Error& error) {
      complain(std::string("The processor draws the heatmaps, which takes longer. ") + error.what());
    }
  }

  TextureId heatmap(const HeatmapSpec& spec) override {
    if (spec.width < 1 || spec.height < 1 || !(spec.rows > 0) || !(spec.columns > 0) || spec.matrix.empty()) return 0;
    if (spec.width > largest_ || spec.height > largest_) return 0;
    const std::size_t hash = hash_of_picture(spec);
    const auto [begin, end] = pictures_.equal_range(hash);
    for (auto entry = begin; entry != end; ++entry) {
      if (entry->second.spec == spec) {
        entry->second.last_frame = frame_;
        return entry->second.texture->name();
      }
    }
    const auto add = [&] { return pictures_.emplace(hash, drawn(spec))->second.texture->name(); };
    return unless_refused(add);
  }

  TextureId image(std::uint64_t key, std::uint64_t version, const Image& pixels) override {
    if (pixels.width < 1 || pixels.height < 1 || pixels.width > largest_ || pixels.height > largest_) return 0;
    return unless_refused([&] { return uploaded(images_[key], version, pixels); });
  }

  std::string take_complaint() override { return std::exchange(complaint_, ""); }

  void end_frame() override {
    for (auto entry = pictures_.begin(); entry != pictures_.end();) {
      if (entry->second.last_frame + kFramesKept > frame_) {
        ++entry;
        continue;
      }
      spare_bytes_ += entry->second.texture->bytes();
      spare_.push_back(std::move(entry->second.texture));
      entry = pictures_.erase(entry);
    }
    while (spare_bytes_ > kSpareBytes) take_spare(spare_.begin());
    std::erase_if(images_, [&](const auto& entry) { return entry.second.last_frame + kFramesKept <= frame_; });
    inputs_.forget_unused();
    share_->collect();
    ++frame_;
  }

  std::int64_t uploads() const override { return inputs_.uploads(); }
  const std::shared_ptr<TextureShare>& share() const override { return share_; }

 private:
  // Said at most once: the next frame would say the same.
  void complain(const std::string& sentence) {
    if (said_.insert(sentence).second) complaint_ = sentence;
  }

  // What `make` returns; 0, nothing to draw, where the driver has no memory for a texture of the window's own size. The
  // textures that were kept for later make room first.
  template <typename Make>
  TextureId unless_refused(const Make& make) {
    for (const bool again : {false, true}) {
      try {
        return make();
      } catch (const Error&) {
        if (again) break;
        spare_.clear();
        spare_bytes_ = 0;
      }
    }
    complain(
        "The graphics driver has no memory for a picture, which is left out. Close other programs, or make the window "
        "smaller.");
    return 0;
  }

  TextureId uploaded(PlainImage& entry, std::uint64_t version, const Image& pixels) {
    const bool same_size =
        entry.texture != nullptr && entry.texture->width() == pixels.width && entry.texture->height() == pixels.height;
    if (!same_size) {
      entry.texture =
          std::make_unique<GlTexture>(TexelFormat::rgba8, pixels.width, pixels.height, pixels.pixels.data(), 0, true);
    } else if (entry.version != version) {
      entry.texture->write(pixels.pixels.data());
    }
    entry.version = version;
    entry.last_frame = frame_;
    return entry.texture->name();
  }

  // Matrices beyond the driver's textures, and many numbers that exist only when read, are drawn by the processor.
  bool fits(const HeatmapSpec& spec) const {
    const Tensor& matrix = spec.matrix;
    return matrix.size() > 0 && matrix.dim(0) <= largest_ && matrix.dim(1) <= largest_ &&
           (spec.device != nullptr || matrix.stored() || matrix.size() <= kMostComputed);
  }

  bool draws_from(const DevicePicture& device) const {
    const auto* shared = dynamic_cast<const SharedPicture*>(&device);
    return shared != nullptr && shared->share() == share_;
  }

  Picture drawn(const HeatmapSpec& spec) {
    Picture picture;
    picture.spec = spec;
    picture.last_frame = frame_;
    if (spec.device != nullptr && (program_ == nullptr || !draws_from(*spec.device))) {
      picture = drawn(brought_back(spec));
      picture.spec = spec;
      return picture;
    }
    const bool by_processor = painter_ == HeatmapDrawer::processor && spec.matrix.stored();
    if (program_ == nullptr || (by_processor && spec.device == nullptr)) {
      picture.texture = blank(spec.width, spec.height);
      picture.texture->write(draw_heatmap(spec).pixels.data());
      return picture;
    }
    if (fits(spec)) {
      try {
        picture.inputs = inputs_.inputs_of(spec);
        picture.texture = blank(spec.width, spec.height);
        const GlStateGuard guard;
        program_->draw(spec, picture.inputs, *picture.texture);
        if (spec.device != nullptr) share_->count({.drawn = 1});
        return picture;
      } catch (const Error&) {
        // The driver is out of memory for the matrix: its picture is smaller.
        picture.inputs = {};
      }
    }
    picture.texture =
        std::make_unique<GlTexture>(TexelFormat::rgba8, spec.width, spec.height, draw_heatmap(spec).pixels.data());
    return picture;
  }

  std::unique_ptr<GlTexture> blank(int width, int height) {
    for (auto spare = spare_.begin(); spare != spare_.end(); ++spare) {
      if ((*spare)->width() != width || (*spare)->height() != height) continue;
      return take_spare(spare);
    }
    return std::make_unique<GlTexture>(TexelFormat::rgba8, width, height, nullptr);
  }

  std::unique_ptr<GlTexture> take_spare(std::vector<std::unique_ptr<GlTexture>>::iterator spare) {
    std::unique_ptr<GlTexture> texture = std::move(*spare);
    spare_.erase(spare);
    spare_bytes_ -= texture->bytes();
    return texture;
  }

  const HeatmapDrawer painter_;
  const int largest_ = largest_texture();
  const std::shared_ptr<TextureShare> share_ = std::make_shared<TextureShare>();
  std::unique_ptr<HeatmapProgram> program_;  // null: the driver refused it
  HeatmapInputCache inputs_;
  std::unordered_multimap<std::size_t, Picture> pictures_;
  std::unordered_map<std::uint64_t, PlainImage> images_;
  std::vector<std::unique_ptr<GlTexture>> spare_;  // oldest first
  std::int64_t spare_bytes_ = 0;
  std::int64_t frame_ = 0;
  std::string complaint_;  // not taken yet
  std::set<std::string> said_;
};

}  // namespace

std::unique_ptr<GlTextureStore> GlTextureStore::make(HeatmapDrawer painter) {
  return std::make_unique<Store>(painter);
}

}  // namespace headscope
