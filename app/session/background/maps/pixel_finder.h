// Which cell a pixel of a pooled picture shows: looked up in the background while the mouse is over it.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>

#include "app/session/background/maps/map_picture.h"
#include "app/session/background/work/executor.h"
#include "app/session/background/work/worker.h"

namespace headscope {

// The cell that a pixel over these cells shows. `known` is false until it is found; `cell` is nullopt when all cells
// are hidden.
struct ChosenPixel {
  MapKey key;
  Range rows, columns;
  bool known = false;
  std::optional<ChosenCell> cell;
};

class PixelFinder {
 public:
  // `wake` is called on `executor` when a cell is found.
  PixelFinder(std::unique_ptr<Executor> executor, std::function<void()> wake);
  // Call it in every frame while the mouse is over the pixel. The newest pixel is looked up; the last answers are kept.
  // One that cannot be read is not asked again until another one was.
  ChosenPixel chosen(const MapKey& key, const PyramidSource& source, Range rows, Range columns);

 private:
  struct Query {
    ChosenPixel pixel;
    PyramidSource source;
  };
  Worker::Piece take();
  std::optional<ChosenPixel> find(const ChosenPixel& asked) const;

  // Behind the worker's lock.
  std::deque<ChosenPixel> answers_;  // newest first
  std::optional<ChosenPixel> asking_;
  std::optional<Query> waiting_;
  Worker worker_;  // last: it ends before what its pieces use
};

}  // namespace headscope
