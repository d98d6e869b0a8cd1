// What the window's context and one that computes have in common, when both are of one device: textures, which one of
// them fills and the other draws from.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace headscope {

// Made on the window's thread. What it counts and what is given back may come from any thread.
class TextureShare {
 public:
  TextureShare() = default;
  TextureShare(const TextureShare&) = delete;
  TextureShare& operator=(const TextureShare&) = delete;

  // Whether the window's context is current here.
  bool on_window_thread() const { return std::this_thread::get_id() == window_thread_; }

  // Objects whose last user is gone, wherever that was.
  void give_back_texture(unsigned name);
  void give_back_buffer(unsigned name);
  void give_back_fence(void* fence);
  // Deletes them; one of the contexts must be current.
  void collect();

  struct Counts {
    std::int64_t made = 0;          // pictures that a device left in textures, ever
    std::int64_t drawn = 0;         // heatmaps drawn from them
    std::int64_t brought_back = 0;  // numbers of pictures that somebody read: under the mouse, in cells, in a strip
    std::int64_t extents = 0;       // numbers of the ends of rows, two each
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
