"""What becomes of an image before a model: Pillow's resampling, written from the filters' formulas, then a cut, a factor,
and a norm of each channel."""
import math

import torch


def bilinear(x):
    return max(1 - abs(x), 0.0)


def bicubic(x):
    """Keys 1981 with a = -1/2."""
    x = abs(x)
    if x < 1:
        return 1.5 * x ** 3 - 2.5 * x ** 2 + 1
    return -0.5 * x ** 3 + 2.5 * x ** 2 - 4 * x + 2 if x < 2 else 0.0


def sinc(x):
    return 1.0 if x == 0 else math.sin(math.pi * x) / (math.pi * x)


def lanczos(x):
    return sinc(x) * sinc(x / 3) if abs(x) < 3 else 0.0


def box(x):
    return 1.0 if -0.5 < x <= 0.5 else 0.0


def hamming(x):
    return sinc(x) * (0.54 + 0.46 * math.cos(math.pi * x)) if abs(x) < 1 else 0.0


FILTERS = {1: (lanczos, 3.0), 2: (bilinear, 1.0), 3: (bicubic, 2.0), 4: (box, 0.5), 5: (hamming, 1.0)}


def weights_of(size_from, size_to, number):
    """[size_to, size_from]: row i says what place i is made of."""
    kernel, support = FILTERS[number]
    scale = size_from / size_to
    wide = max(scale, 1.0)
    rows = torch.zeros(size_to, size_from, dtype=torch.float64)
    for i in range(size_to):
        centre = (i + 0.5) * scale
        begin = max(int(centre - support * wide + 0.5), 0)
        end = min(int(centre + support * wide + 0.5), size_from)
        for x in range(begin, end):
            rows[i, x] = kernel((x + 0.5 - centre) / wide)
        rows[i] /= rows[i].sum()
    return torch.round(rows * 2 ** 22).long()  # Pillow keeps 22 bits of a weight


def rounded(x):
    """Of numbers times 2^22: to whole ones from 0 to 255, halves up."""
    return ((x + 2 ** 21) // 2 ** 22).clamp(0, 255)


def resized(image, height, width, number):
    """image [3, rows, columns], whole numbers: rows first, then columns, each rounded to 8 bits."""
    image = rounded(image.long() @ weights_of(image.shape[2], width, number).T)
    return rounded(weights_of(image.shape[1], height, number) @ image).double()


def pixel_values(image, p):
    image = image.double()
    if p.get('do_resize', True):
        size = p['size']
        if 'shortest_edge' in size:
            rows, columns = image.shape[1:]
            short, long = min(rows, columns), max(rows, columns)
            other = int(size['shortest_edge'] * long / short)
            size = dict(height=other, width=size['shortest_edge']) if columns <= rows else \
                dict(height=size['shortest_edge'], width=other)
        image = resized(image, size['height'], size['width'], p['resample'])
    if p.get('do_center_crop'):
        height, width = p['crop_size']['height'], p['crop_size']['width']
        top, left = (image.shape[1] - height) // 2, (image.shape[2] - width) // 2
        image = image[:, top:top + height, left:left + width]
    image = image * p['rescale_factor']
    mean, deviation = (torch.tensor(p[key], dtype=torch.float64)[:, None, None] for key in ('image_mean', 'image_std'))
    return (image - mean) / deviation
