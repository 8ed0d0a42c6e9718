"""An independent model of the library, written from its contract and slow on purpose."""
