/** The tool of the three pages, which notes what it was given. */
export function readWeather(city) {
  globalThis.ran.push(city)
  return `25 °C in ${city}`
}
