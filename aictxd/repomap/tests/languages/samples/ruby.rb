# frozen_string_literal: true

require "json"
require_relative 'lib/helper'

# Tools. More.
module Tools
  LIMIT = 10

  # A shape.
  class Shape < Base
    include Comparable
    attr_reader :name, :size

    class << self
      def create; end
    end

    def self.make(a, b = 1)
      def nested; end
    end

    # Draws it.
    def draw(canvas, *args, &block)
      canvas.each { |c| c }
    end

    def ==(other) = true

    def valid?
      true
    end

    private

    def hidden; end
  end

  module_function

  def helper; end
end

class Tools::Other
  Point = Struct.new(:x, :y)
end

def free(a)
end

RSpec.describe Shape do
  it "draws" do
  end
  context "when empty" do
    it("fails") { }
  end
end

class ShapeTest < Minitest::Test
  def test_draws
  end
  test "a title" do
  end
end

task :build do
end
