// The objects shared by the window's context and a computing context on the same device: textures that one fills and
// the other draws.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace headscope {

// Made on the window's thread. count() and the give_back functions may be called from any thread.
class TextureShare {
 public:
  TextureShare() = default;
  TextureShare(const TextureShare&) = delete;
  TextureShare& operator=(const TextureShare&) = delete;

  // Whether the caller runs on the window's thread.
  bool on_window_thread() const { return std::this_thread::get_id() == window_thread_; }

  // Takes GL objects that are no longer used, from any thread.
  void give_back_texture(unsigned name);
  void give_back_buffer(unsigned name);
  void give_back_fence(void* fence);
  // Deletes these objects; one of the contexts must be current.
  void collect();

  struct Counts {
    std::int64_t made = 0;          // pictures that a device wrote into textures, since the start
    std::int64_t drawn = 0;         // heatmaps drawn from them
    std::int64_t brought_back = 0;  // numbers copied back for the panels: under the mouse, in cells, in a strip
    std::int64_t extents = 0;       // numbers copied back as row extents, two a row
  };
  Counts counts() const;
  void count(const Counts& more);

 private:
  const std::thread::id window_thread_ = std::this_thread::get_id();
  mutable std::mutex mutex_;
  std::vector<unsigned> textures_, buffers_;
  std::vector<void*> fences_;
  Counts counts_;
};

}  // namespace headscope
