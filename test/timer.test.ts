import { beforeEach, describe, expect, it, vi } from 'vitest'
import { alarm } from '../src/core/abort.ts'

beforeEach(() => {
  vi.useFakeTimers()
})

describe('an alarm', () => {
  it('fires this long after its last start, and not earlier', () => {
    const ring = vi.fn()
    const clock = alarm(ring)
    clock.wind(1000)
    for (let times = 0; times < 10; times++) {
      vi.advanceTimersByTime(999)
      clock.wind(1000)
    }
    vi.advanceTimersByTime(999)
    expect(ring).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(ring).toHaveBeenCalledOnce()
    vi.advanceTimersByTime(10_000)
    expect(ring).toHaveBeenCalledOnce()
  })

  it('has one timer, however often it is restarted', () => {
    const setting = vi.spyOn(globalThis, 'setTimeout')
    const clock = alarm(() => {})
    for (let times = 0; times < 10_000; times++) {
      clock.wind(1000)
      if (times % 10 === 0) vi.advanceTimersByTime(1)
    }
    expect(vi.getTimerCount()).toBe(1)
    expect(setting.mock.calls.length).toBeLessThan(5)
    clock.stop()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('does not fire while it is stopped, and fires after a restart', () => {
    const ring = vi.fn()
    const clock = alarm(ring)
    clock.wind(1000)
    vi.advanceTimersByTime(500)
    clock.wind(Number.POSITIVE_INFINITY)
    vi.advanceTimersByTime(700)
    clock.wind(1000)
    vi.advanceTimersByTime(999)
    expect(ring).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    clock.wind(1000)
    vi.advanceTimersByTime(1000)
    expect(ring).toHaveBeenCalledTimes(2)
  })

  it('fires sooner after a restart with a shorter time, and later with a longer one', () => {
    const ring = vi.fn()
    const clock = alarm(ring)
    clock.wind(1000)
    clock.wind(100)
    vi.advanceTimersByTime(100)
    expect(ring).toHaveBeenCalledOnce()
    clock.wind(100)
    clock.wind(1000)
    vi.advanceTimersByTime(999)
    expect(ring).toHaveBeenCalledOnce()
    vi.advanceTimersByTime(1)
    expect(ring).toHaveBeenCalledTimes(2)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('can be restarted by its own action', () => {
    const clock = alarm(() => clock.wind(1000))
    clock.wind(1000)
    vi.advanceTimersByTime(3500)
    expect(vi.getTimerCount()).toBe(1)
    clock.stop()
  })

  it('fires in time although the system clock was set back', () => {
    const ring = vi.fn()
    const clock = alarm(ring)
    clock.wind(1000)
    vi.setSystemTime(Date.now() - 3_600_000)
    vi.advanceTimersByTime(1000)
    expect(ring).toHaveBeenCalledOnce()
  })

  it('never fires if its time is infinite', () => {
    const clock = alarm(() => {})
    clock.wind(Number.POSITIVE_INFINITY)
    expect(vi.getTimerCount()).toBe(0)
  })
})
