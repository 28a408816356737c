// Vectors of three numbers.
export const add = (a, b, f = 1) => a.map((x, k) => x + f * b[k]);
export const minus = (a, b) => a.map((x, k) => x - b[k]);
export const dot = (a, b) => a.reduce((sum, x, k) => sum + x * b[k], 0);
export const cross = (a, b) => [0, 1, 2].map((k) => a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3]);
export const unit = (v) => { const length = Math.hypot(...v) || 1; return v.map((x) => x / length); };

// Two unit vectors across a unit vector and each other.
export function across(n) {
  const u = unit(cross(n, Math.abs(n[0]) < 0.8 ? [1, 0, 0] : [0, 1, 0]));
  return [u, cross(n, u)];
}
