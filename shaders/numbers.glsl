// What the compute shaders share about single numbers. isnan may be compiled away, so the bits are looked at; exp and
// tanh are our own, since GLSL allows an error of 3 + 2|x| units in the last place and drivers use it.

const float kPlainNan = uintBitsToFloat(0x7fc00000u);
const float kMinusInfinity = uintBitsToFloat(0xff800000u);
const float kPlusInfinity = uintBitsToFloat(0x7f800000u);

// Every thread of the work group comes here before one goes on, and sees what the others have shared. barrier() alone need
// not order shared memory.
void wait_for_all() {
  memoryBarrierShared();
  barrier();
}

bool is_nan(float x) {
  return (floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u;
}

float power_of_two(int n) {  // -126 <= n <= 127
  return uintBitsToFloat(uint(n + 127) << 23);
}

// e^x for x <= 0, to 1e-7 relative; exactly 0 where float has no smaller number. x = n ln 2 + r, |r| <= ln 2 / 2, with
// ln 2 in two parts of which the first has few digits.
float exp_of(float x) {
  bool vanishes = !(x > -104.0);
  float y = vanishes ? 0.0 : x;  // no branch: loops that sum it have none either
  precise float n = round(y * 1.4426950408889634);
  precise float r = fma(n, -0.693359375, y);
  r = fma(n, 2.12194440e-4, r);
  precise float p = 1.0 / 5040.0;
  p = fma(p, r, 1.0 / 720.0);
  p = fma(p, r, 1.0 / 120.0);
  p = fma(p, r, 1.0 / 24.0);
  p = fma(p, r, 1.0 / 6.0);
  p = fma(p, r, 0.5);
  p = fma(p, r, 1.0);
  p = fma(p, r, 1.0);
  int half_n = int(n) / 2;
  float power = p * power_of_two(half_n) * power_of_two(int(n) - half_n);
  return vanishes ? 0.0 : power;
}

// tanh, to 3e-7 relative: its series near 0, where 1 - e^-2x has lost its digits, else (1 - t) / (1 + t), t = e^-2|x|.
float tanh_of(float x) {
  if (is_nan(x)) return x;
  float size = abs(x);
  if (size < 0.5) {
    precise float square = x * x;
    precise float p = -929569.0 / 638512875.0;
    p = fma(p, square, 21844.0 / 6081075.0);
    p = fma(p, square, -1382.0 / 155925.0);
    p = fma(p, square, 62.0 / 2835.0);
    p = fma(p, square, -17.0 / 315.0);
    p = fma(p, square, 2.0 / 15.0);
    p = fma(p, square, -1.0 / 3.0);
    return x + x * (square * p);
  }
  float t = exp_of(-2.0 * size);
  float y = (1.0 - t) / (1.0 + t);
  return x < 0.0 ? -y : y;
}
