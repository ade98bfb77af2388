import type { Board } from '../core/board.js';

/**
 * A board that tells of each change of phase: probes read the board themselves, but a listener that opens, closes or
 * sends when readiness changes must hear of it.
 */
export function announcePhase(board: Board, onPhase: () => void): Board {
  return {
    ...board,
    setPhase(phase) {
      board.setPhase(phase);
      onPhase();
    },
  };
}
