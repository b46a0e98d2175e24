{-# LANGUAGE GADTs #-}
-- | Module docs.
module App.Shape
  ( Shape(..)
  , area
  ) where

import qualified Data.Map as Map
import Data.List (sort)

-- | A shape. More.
data Shape
  = Circle Double
  | Square { side :: Double }
  deriving (Show)

newtype Wrapper a = Wrapper { unwrap :: a }
type Alias = Int

-- | Draws.
class Drawable a where
  draw :: a -> String
  draw _ = ""

instance Drawable Shape where
  draw (Circle _) = "o"

data Term a where
  Lit :: Int -> Term Int

-- | The area.
area :: Shape -> Double
area (Circle r) = r * r
area (Square s) = s * s
  where
    local = 1

limit :: Int
limit = 10

a <+> b = a
main = print 1
